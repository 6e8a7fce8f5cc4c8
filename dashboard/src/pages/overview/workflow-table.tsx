/** The workflows, and how many runs of each have which status. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { RUN_STATUSES } from "../../../../server/src/run-states.ts";
import { workflowsQuery } from "../../api/workflows.ts";
import { Answered } from "../../parts/answered.tsx";
import { Empty } from "../../parts/empty.tsx";
import { type Column, Table } from "../../parts/table.tsx";

type Tally = Awaited<ReturnType<NonNullable<typeof workflowsQuery.queryFn>>>["workflows"][number];

const COLUMNS: readonly Column<Tally>[] = [
  {
    title: "Workflow",
    kind: "long",
    cell: ({ name }) => (
      <Link to="/runs" search={{ workflow: name }}>
        {name}
      </Link>
    ),
  },
  ...RUN_STATUSES.map((status): Column<Tally> => ({
    title: `${status.charAt(0).toUpperCase()}${status.slice(1)}`,
    kind: "number",
    cell: (workflow) =>
      workflow[status] === 0 ? (
        <span className="soft">0</span>
      ) : (
        <Link
          to="/runs"
          search={{ workflow: workflow.name, status }}
          aria-label={`${workflow[status].toLocaleString("en")} ${status} runs of ${workflow.name}`}
        >
          {workflow[status].toLocaleString("en")}
        </Link>
      ),
  })),
];

const FIRST_WORKFLOW = `import { createWorker, workflow } from "@oxbow/sdk/runtime";

const hello = workflow({
  name: "hello",
  run: (ctx) => ctx.step.run("greet", () => "Hello!"),
});
createWorker({ workflows: [hello] });`;

export const WorkflowTable = (): ReactNode => (
  <Answered query={useQuery(workflowsQuery)}>
    {({ workflows }) => (
      <Table
        caption="Workflows"
        columns={COLUMNS}
        rows={workflows}
        keyOf={({ name }) => name}
        empty={
          <Empty title="No workflow yet.">
            <p>A workflow is listed as soon as a worker serves it:</p>
            <pre>{FIRST_WORKFLOW}</pre>
            <p>
              Then start a run with <code>oxbow start hello</code>, a client, or the button on{" "}
              <Link to="/runs">Runs</Link>.
            </p>
          </Empty>
        }
      />
    )}
  </Answered>
);
