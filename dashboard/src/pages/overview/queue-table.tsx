/** The queues whose messages have waited longest. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { firstQueuesQuery, type Queue } from "../../api/queues.ts";
import { Answered } from "../../parts/answered.tsx";
import { Empty } from "../../parts/empty.tsx";
import { QUEUE_COLUMNS } from "../../parts/queue-columns.tsx";
import { type Column, Table } from "../../parts/table.tsx";

const MOST_SHOWN = 5;

const COLUMNS: readonly Column<Queue>[] = [
  QUEUE_COLUMNS.name,
  QUEUE_COLUMNS.ready,
  QUEUE_COLUMNS.inFlight,
  QUEUE_COLUMNS.oldest,
];

export const QueueTable = (): ReactNode => (
  <Answered query={useQuery(firstQueuesQuery)}>
    {({ queues, total }) => (
      <>
        <Table
          caption="Queues"
          columns={COLUMNS}
          rows={queues.toSorted(byAge).slice(0, MOST_SHOWN)}
          keyOf={({ name }) => name}
          empty={
            <Empty title="No queue yet.">
              <p>
                Messages that wait for a consumer are counted here. See{" "}
                <Link to="/queues">Queues</Link>.
              </p>
            </Empty>
          }
        />
        {total <= MOST_SHOWN ? null : (
          <p className="hint">
            {total === queues.length
              ? `The ${MOST_SHOWN} of ${total} queues whose messages have waited longest.`
              : `The queues whose messages have waited longest, among the first ${queues.length} of ${total.toLocaleString("en")}.`}{" "}
            <Link to="/queues">All queues</Link>
          </p>
        )}
      </>
    )}
  </Answered>
);

const byAge = (one: Queue, other: Queue): number =>
  (other.oldestMessageAge ?? -1) - (one.oldestMessageAge ?? -1);
