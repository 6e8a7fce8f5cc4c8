/** The workers: what each serves, and how busy it is. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Worker, workersQuery } from "../../api/workflows.ts";
import { poolOf } from "../../format/pool.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { FullTime, Time } from "../../parts/time.tsx";

const MOST_SHOWN = 12;
/** Workflows that list resources for pickers. */
const OF_PICKERS = "oxbow-resources-";

const COLUMNS: readonly Column<Worker>[] = [
  {
    title: "Worker",
    kind: "long",
    cell: ({ host, processId }) => (
      <span className="mono">
        {host}:{processId}
      </span>
    ),
  },
  {
    title: "State",
    cell: ({ isLive, lastSeenAt }) =>
      isLive ? (
        <Badge text="live" look="completed" />
      ) : (
        <>
          <Badge text="gone" look="failing" /> seen <Time at={lastSeenAt} />
        </>
      ),
  },
  {
    title: "Busy slots",
    kind: "number",
    cell: ({ slots, busySlots }) =>
      `${busySlots.toLocaleString("en")} of ${slots.toLocaleString("en")}`,
  },
  { title: "Serves", kind: "long", cell: (worker) => <Served worker={worker} /> },
  { title: "SDK", wide: true, cell: ({ sdkVersion }) => sdkVersion },
  { title: "Started", wide: true, cell: ({ startedAt }) => <FullTime at={startedAt} /> },
];

/** The workflows with their versions; a worker may serve hundreds. */
function Served({ worker: { serves } }: { worker: Worker }): ReactNode {
  const names = Object.entries(serves).filter(([name]) => !name.startsWith(OF_PICKERS));
  return (
    <>
      {names.slice(0, MOST_SHOWN).map(([name, versions], index) => (
        <span key={name}>
          {index === 0 ? "" : ", "}
          <Entry name={name} versions={versions} />
        </span>
      ))}
      {names.length > MOST_SHOWN ? ` and ${names.length - MOST_SHOWN} more` : ""}
    </>
  );
}

function Entry({
  name,
  versions,
}: {
  readonly name: string;
  readonly versions: readonly number[];
}): ReactNode {
  const pool = poolOf(name);
  if (pool !== undefined) return `definitions of pool ${pool}`;
  return (
    <>
      <Link to="/runs" search={{ workflow: name }}>
        {name}
      </Link>{" "}
      <span className="soft">v{versions.join(", v")}</span>
    </>
  );
}

export const WorkerTable = (): ReactNode => (
  <Answered query={useQuery(workersQuery)}>
    {({ workers }) => (
      <Table
        caption="Workers"
        columns={COLUMNS}
        rows={workers}
        keyOf={({ workerId }) => workerId}
        empty={
          <Empty title="No worker in the last hour.">
            <p>
              Runs wait until a worker serves their workflow. Start one with <code>oxbow dev</code>,
              or with <code>createWorker</code> in your own process.
            </p>
          </Empty>
        }
      />
    )}
  </Answered>
);
