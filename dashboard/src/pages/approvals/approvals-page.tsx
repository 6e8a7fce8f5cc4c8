/** The requests of runs for approval, by the filters of the address: waiting ones at first. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { approvalsQuery } from "../../api/approvals.ts";
import { Answered } from "../../parts/answered.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/paged-table.tsx";
import { approvalColumns } from "./approval-columns.tsx";
import { ApprovalsFilters } from "./approvals-filters.tsx";
import { useDecide } from "./decide.tsx";
import { useDecidable } from "./use-decidable.ts";

const APPROVALS_A_PAGE = 50;
const route = getRouteApi("/approvals");

export function ApprovalsPage(): ReactNode {
  const search = route.useSearch();
  const { state, ...conditions } = search;
  const status = state === "all" ? undefined : (state ?? ("waiting" as const));
  const query = useQuery({
    ...approvalsQuery({ ...conditions, status }, APPROVALS_A_PAGE),
    placeholderData: keepPreviousData,
  });
  const mayDecide = useDecidable(conditions, APPROVALS_A_PAGE);
  const { dialog, buttonsOf } = useDecide();
  return (
    <Page title="Approvals">
      <ApprovalsFilters key={JSON.stringify(search)} search={search} />
      <Answered query={query}>
        {({ approvals, cursor }) => (
          <PagedTable
            caption="Approvals"
            columns={approvalColumns((approval) =>
              mayDecide(approval) ? buttonsOf(approval) : "",
            )}
            rows={approvals}
            keyOf={({ id }) => id}
            empty={<NoApprovals isFiltered={Object.keys(search).length > 0} />}
            query={query}
            search={search}
            place="cursor"
            next={cursor}
            toFirst="Newest requests"
            toNext="Older requests"
          />
        )}
      </Answered>
      {dialog}
    </Page>
  );
}

const NoApprovals = ({ isFiltered }: { isFiltered: boolean }): ReactNode =>
  isFiltered ? (
    <Empty title="No request matches.">
      <p>
        <Link to="/approvals" search={{}}>
          Show all waiting requests
        </Link>
        .
      </p>
    </Empty>
  ) : (
    <Empty title="No request is waiting.">
      <p>
        A declared workflow asks people with the node <code>approve@1</code>. Its request is listed
        here until it is decided.
      </p>
      <p>
        <Link to="/approvals" search={{ state: "all" }}>
          Show all requests
        </Link>
      </p>
    </Empty>
  );
