/** Queues, and how many messages are in each. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Queue, queuesQuery } from "../../api/queues.ts";
import { duration } from "../../format/duration.ts";
import { Answered } from "../../parts/answered.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";

const COLUMNS: readonly Column<Queue>[] = [
  {
    title: "Queue",
    cell: ({ name }) => (
      <Link to="/queues/$name" params={{ name }}>
        {name}
      </Link>
    ),
  },
  { title: "Kind", wide: true, cell: ({ fifo }) => (fifo ? "FIFO" : "standard") },
  { title: "Ready", kind: "number", cell: ({ visible }) => visible.toLocaleString("en") },
  { title: "In flight", kind: "number", cell: ({ inFlight }) => inFlight.toLocaleString("en") },
  { title: "Delayed", kind: "number", cell: ({ delayed }) => delayed.toLocaleString("en") },
  {
    title: "Oldest",
    kind: "number",
    cell: ({ oldestMessageAge: age }) => (age === null ? "" : duration(age * 1_000)),
  },
  { title: "Dead letters to", wide: true, cell: ({ deadLetterQueue }) => deadLetterQueue },
];

export function QueuesPage(): ReactNode {
  const query = useQuery(queuesQuery);
  return (
    <Page title="Queues">
      <Answered query={query}>
        {(queues) => (
          <Table
            caption="Queues"
            columns={COLUMNS}
            rows={queues}
            keyOf={({ name }) => name}
            empty={
              <Empty title="No queue yet.">
                <p>Create one with SQL, the SDK or the command:</p>
                <pre>select queue.create_queue(&apos;mail&apos;);</pre>
              </Empty>
            }
          />
        )}
      </Answered>
    </Page>
  );
}
