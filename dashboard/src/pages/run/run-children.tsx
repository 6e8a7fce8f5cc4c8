import type { ReactNode } from "react";
import type { Child } from "../../api/runs.ts";
import { Badge } from "../../parts/badge.tsx";
import { RunLink } from "../../parts/run-link.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { FullTime } from "../../parts/time.tsx";

const COLUMNS: readonly Column<Child>[] = [
  {
    title: "Run",
    cell: ({ runId }) => <RunLink runId={runId} />,
  },
  { title: "Workflow", cell: ({ name }) => name },
  { title: "Step", kind: "long", cell: ({ step }) => step },
  { title: "Status", cell: ({ status }) => <Badge text={status} /> },
  { title: "Started", wide: true, cell: ({ startedAt }) => <FullTime at={startedAt} /> },
  { title: "Waited for", wide: true, cell: ({ isDetached }) => (isDetached ? "no" : "yes") },
];

/** The runs that this run has started; nothing if it has started no runs. */
export function RunChildren({ childRuns }: { childRuns: readonly Child[] }): ReactNode {
  if (childRuns.length === 0) return null;
  return (
    <>
      <h2>Child runs</h2>
      <Table
        caption="Child runs"
        columns={COLUMNS}
        rows={childRuns}
        keyOf={({ runId }) => runId}
        empty={null}
      />
    </>
  );
}
