/** Queues, and how many messages are in each. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Queue, queuesQuery } from "../../api/queues.ts";
import { Answered } from "../../parts/answered.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { QUEUE_COLUMNS } from "../../parts/queue-columns.tsx";
import { type Column, Table } from "../../parts/table.tsx";

const COLUMNS: readonly Column<Queue>[] = [
  QUEUE_COLUMNS.name,
  { title: "Kind", wide: true, cell: ({ fifo }) => (fifo ? "FIFO" : "standard") },
  QUEUE_COLUMNS.ready,
  QUEUE_COLUMNS.inFlight,
  { title: "Delayed", kind: "number", cell: ({ delayed }) => delayed.toLocaleString("en") },
  QUEUE_COLUMNS.oldest,
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
