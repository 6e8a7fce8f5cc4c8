/** Subscriptions of topics; those whose url has failed for days can be enabled again. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Subscription, subscriptionsQuery } from "../../api/topics.ts";
import { maskedUrl } from "../../../../declared/src/net/masked-url.ts";
import { Answered } from "../../parts/answered.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { useMay } from "../../shell/may.tsx";
import { EndSubscription } from "./end-subscription.tsx";
import { SubscriptionState } from "./subscription-state.tsx";
import { TopicActions } from "./topic-actions.tsx";

const COLUMNS: readonly Column<Subscription>[] = [
  { title: "Pattern", cell: ({ pattern }) => <code>{pattern}</code> },
  { title: "To", cell: ({ type }) => type },
  { title: "Target", kind: "long", cell: (one) => <Target of={one} /> },
  { title: "State", kind: "long", cell: (one) => <SubscriptionState subscription={one} /> },
  {
    title: "Filter",
    wide: true,
    cell: ({ filter }) => (filter === null ? "" : <code>{JSON.stringify(filter)}</code>),
  },
  {
    title: "Options",
    wide: true,
    cell: ({ options }) =>
      Object.keys(options ?? {}).length === 0 ? "" : <code>{JSON.stringify(options)}</code>,
  },
];

const ACTIONS: Column<Subscription> = {
  title: "Actions",
  cell: (one) => <EndSubscription subscription={one} />,
};

/** That of a url leads to the log of its deliveries, for those who may read it. */
function Target({ of: { subscriptionId, target, type } }: { of: Subscription }): ReactNode {
  const may = useMay();
  return type === "http" && may("admin") ? (
    <Link to="/deliveries" search={{ subscription: subscriptionId }}>
      {maskedUrl(target)}
    </Link>
  ) : (
    maskedUrl(target)
  );
}

export function TopicsPage(): ReactNode {
  const query = useQuery(subscriptionsQuery);
  const may = useMay();
  return (
    <Page title="Topics" actions={<TopicActions />}>
      <h2>Subscriptions</h2>
      <Answered query={query}>
        {({ subscriptions }) => (
          <Table
            caption="Subscriptions"
            columns={may("admin") ? [...COLUMNS, ACTIONS] : COLUMNS}
            rows={subscriptions}
            keyOf={({ subscriptionId }) => subscriptionId}
            empty={
              <Empty title="No subscription yet.">
                <p>A subscription sends what is published to a queue, a url or a workflow:</p>
                <pre>
                  select queue.subscribe(&apos;order.*&apos;, &apos;queue&apos;, &apos;mail&apos;);
                </pre>
              </Empty>
            }
          />
        )}
      </Answered>
    </Page>
  );
}
