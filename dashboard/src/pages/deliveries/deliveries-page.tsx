/** What came of deliveries to urls, newest first, by the filters of the address. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import {
  CHANGED_BY_RESEND,
  type Delivery,
  deliveriesQuery,
  outcomeOf,
  resendDeliveries,
} from "../../api/deliveries.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { BusyButton } from "../../parts/busy-button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/paged-table.tsx";
import { selectColumn } from "../../parts/select-column.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { attempt, note } from "../../shell/notes.tsx";
import { DeliveryDialog } from "./delivery-dialog.tsx";
import { DeliveryFilters } from "./delivery-filters.tsx";

const DELIVERIES_A_PAGE = 50;
const route = getRouteApi("/deliveries");

export function DeliveriesPage(): ReactNode {
  const { delivery: opened, ...search } = route.useSearch();
  const { status, subscription, before } = search;
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const query = useQuery({
    ...deliveriesQuery({ status, subscriptionId: subscription, before }, DELIVERIES_A_PAGE),
    placeholderData: keepPreviousData,
  });
  const shown = query.data?.deliveries ?? [];
  const chosen = shown.filter(({ id }) => selected.has(id));

  const resend = async (ids: string[]): Promise<void> => {
    await attempt("send again", async () => {
      const { deliveries } = await resendDeliveries(ids);
      for (const { id, problem } of deliveries) {
        if (problem !== null) note(`Delivery ${id} is not sent again: ${problem}.`);
      }
      const resent = deliveries.filter(({ problem }) => problem === null);
      if (resent.length > 0) note(`${resent.length} of ${ids.length} deliveries are sent again.`);
    });
    setSelected(new Set());
    await Promise.all(CHANGED_BY_RESEND.map((queryKey) => queries.invalidateQueries({ queryKey })));
  };

  const columns: readonly Column<Delivery>[] = [
    selectColumn({ noun: "delivery", idOf: ({ id }) => id, selected, onSelect: setSelected }),
    {
      title: "Delivery",
      cell: ({ id }) => (
        <Link to="/deliveries" search={{ ...search, delivery: id }} className="mono">
          {id}
        </Link>
      ),
    },
    { title: "Status", cell: (delivery) => <Status of={delivery} /> },
    { title: "Topic", kind: "long", cell: ({ topic }) => topic },
    {
      title: "Subscription",
      kind: "long",
      wide: true,
      cell: ({ url, subscriptionId }) => (
        <Link to="/deliveries" search={{ status, subscription: subscriptionId }}>
          {url ?? `${subscriptionId}, which has ended`}
        </Link>
      ),
    },
    { title: "Attempts", kind: "number", wide: true, cell: ({ attempts }) => attempts },
    { title: "Answer", kind: "long", cell: outcomeOf },
    { title: "Last attempt", wide: true, cell: ({ attemptedAt }) => <Time at={attemptedAt} /> },
  ];
  return (
    <Page
      title="Deliveries"
      actions={
        shown.length === 0 ? null : (
          <BusyButton
            isDisabled={chosen.length === 0}
            onPress={() => resend(chosen.map(({ id }) => id))}
          >
            {chosen.length === 0 ? "Send selected again" : `Send ${chosen.length} selected again`}
          </BusyButton>
        )
      }
    >
      <DeliveryFilters key={JSON.stringify({ status, subscription })} search={search} />
      <Answered query={query}>
        {({ deliveries }) => (
          <PagedTable
            caption="Deliveries"
            columns={columns}
            rows={deliveries}
            keyOf={({ id }) => id}
            empty={<NoDeliveries isFiltered={Object.keys(search).length > 0} />}
            query={query}
            search={search}
            place="before"
            next={deliveries.length < DELIVERIES_A_PAGE ? undefined : deliveries.at(-1)?.id}
            toFirst="Newest deliveries"
            toNext="Older deliveries"
          />
        )}
      </Answered>
      <DeliveryDialog
        id={opened}
        onClose={() => void navigate({ to: "/deliveries", search })}
        onResend={(id) => resend([id])}
      />
    </Page>
  );
}

const LOOKS = { waiting: "running", delivered: "completed", failed: "failed" } as const;

const Status = ({ of: { status, nextAttemptAt } }: { of: Delivery }): ReactNode => (
  <>
    <Badge text={status} look={LOOKS[status]} />
    {nextAttemptAt === null ? null : (
      <div className="soft">
        next <Time at={nextAttemptAt} />
      </div>
    )}
  </>
);

const NoDeliveries = ({ isFiltered }: { isFiltered: boolean }): ReactNode =>
  isFiltered ? (
    <Empty title="No delivery matches.">
      <p>
        <Link to="/deliveries" search={{}}>
          Show all deliveries
        </Link>
        . Deliveries that have ended are kept for a day, unless the server sets{" "}
        <code>OXBOW_WEBHOOK_LOG_HOURS</code>.
      </p>
    </Empty>
  ) : (
    <Empty title="Nothing was delivered to a url lately.">
      <p>
        Subscribe a url on the page <Link to="/topics">Topics</Link>. Each message that is posted to
        it is listed here with the answer, and can be sent again. What could not be delivered is
        also among the <Link to="/dead-letters">dead letters</Link>.
      </p>
    </Empty>
  );
