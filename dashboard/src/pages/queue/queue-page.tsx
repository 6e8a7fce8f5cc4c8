/** A queue: its counts, its messages without receiving them, and what can be done to it. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Queue, queueQuery } from "../../api/queues.ts";
import { duration } from "../../format/duration.ts";
import { Answered } from "../../parts/answered.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Page } from "../../parts/page.tsx";
import { FullTime } from "../../parts/time.tsx";
import { DepthOverTime } from "./depth-over-time.tsx";
import { Messages } from "./messages.tsx";
import { QueueActions } from "./queue-actions.tsx";

const route = getRouteApi("/queues/$name");

export function QueuePage(): ReactNode {
  const { name } = route.useParams();
  const search = route.useSearch();
  const query = useQuery(queueQuery(name));
  return (
    <Page
      title={`Queue ${name}`}
      actions={query.data === undefined ? null : <QueueActions queue={query.data} />}
    >
      <Answered query={query}>
        {(queue) => (
          <>
            <QueueFacts queue={queue} />
            <h2>Over time</h2>
            <DepthOverTime queue={name} search={search} />
            <h2>Messages</h2>
            <Messages name={name} search={search} />
          </>
        )}
      </Answered>
    </Page>
  );
}

function QueueFacts({ queue }: { queue: Queue }): ReactNode {
  const { oldestMessageAge: age, deadLetterQueue, retentionSeconds } = queue;
  return (
    <div className="card">
      <Facts
        of={[
          ["Name in SQS", queue.sqsName],
          ["Kind", queue.fifo ? "FIFO" : "standard"],
          ["Ready", queue.visible.toLocaleString("en")],
          ["In flight", queue.inFlight.toLocaleString("en")],
          ["Delayed", queue.delayed.toLocaleString("en")],
          ["Groups", queue.groups],
          ["Oldest", age === null ? null : duration(age * 1_000)],
          ["Sent in total", queue.totalSent.toLocaleString("en")],
          ["Visibility timeout", duration(queue.visibilityTimeout * 1_000)],
          ["Deliveries before a dead letter", queue.maxReceives],
          [
            "Dead letters to",
            deadLetterQueue === null ? null : (
              <Link key="letters" to="/queues/$name" params={{ name: deadLetterQueue }}>
                {deadLetterQueue}
              </Link>
            ),
          ],
          ["Retention", retentionSeconds === null ? null : duration(retentionSeconds * 1_000)],
          ["Created", <FullTime key="created" at={queue.createdAt} />],
        ]}
      />
    </div>
  );
}
