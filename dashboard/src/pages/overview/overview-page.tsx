/** Where one begins: attention first, then the last hour in figures, then what runs, waits and works. */
import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Attention } from "./attention.tsx";
import { LastHour } from "./last-hour.tsx";
import { QueueTable } from "./queue-table.tsx";
import { WorkerTable } from "./worker-table.tsx";
import { WorkflowTable } from "./workflow-table.tsx";
import "./overview.css";

export const OverviewPage = (): ReactNode => (
  <Page title="Overview">
    <Attention />
    <h2>The last hour</h2>
    <LastHour />
    <h2>Workflows</h2>
    <WorkflowTable />
    <h2>Queues</h2>
    <QueueTable />
    <h2>Workers</h2>
    <WorkerTable />
  </Page>
);
