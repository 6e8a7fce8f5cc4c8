/** Who changed what by hand, newest first, by the filters of the address. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type AuditEntry, auditQuery } from "../../api/audit.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/paged-table.tsx";
import type { Column } from "../../parts/table.tsx";
import { FullTime } from "../../parts/time.tsx";
import { AuditFilters } from "./audit-filters.tsx";

const ENTRIES_A_PAGE = 50;
const route = getRouteApi("/audit");

export function AuditPage(): ReactNode {
  const search = route.useSearch();
  const query = useQuery({
    ...auditQuery(search, ENTRIES_A_PAGE),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title="Audit">
      <AuditFilters key={JSON.stringify(search)} search={search} />
      <Answered query={query}>
        {({ entries, cursor }) => (
          <PagedTable
            caption="Audit"
            columns={COLUMNS}
            rows={entries}
            keyOf={({ id }) => id}
            empty={<NoEntries isFiltered={Object.keys(search).length > 0} />}
            query={query}
            search={search}
            place="cursor"
            next={cursor}
            toFirst="Newest entries"
            toNext="Older entries"
          />
        )}
      </Answered>
    </Page>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: "Time", cell: ({ actedAt }) => <FullTime at={actedAt} /> },
  {
    title: "Actor",
    kind: "long",
    cell: ({ actor, actorKind, token }) => (
      <>
        <Link to="/audit" search={{ actor }}>
          {actor}
        </Link>{" "}
        <span className="soft">{token === null ? actorKind : `by ${token}`}</span>
      </>
    ),
  },
  {
    title: "Action",
    cell: ({ action, outcome }) => (
      <>
        <code>{action}</code> {outcome === "changed" ? null : <Badge text={outcome} />}
      </>
    ),
  },
  { title: "Object", kind: "long", cell: (entry) => <Subject of={entry} /> },
  {
    title: "Detail",
    kind: "text",
    wide: true,
    cell: ({ detail }) => (detail === null ? "" : <code>{JSON.stringify(detail)}</code>),
  },
  { title: "From", wide: true, cell: ({ address, role }) => address ?? role },
];

/** A link to the object, if it has a page. */
function Subject({ of: { subjectType, subject } }: { of: AuditEntry }): ReactNode {
  switch (subjectType) {
    case "run":
      return (
        <Link to="/runs/$runId" params={{ runId: subject }} className="mono">
          run {subject}
        </Link>
      );
    case "queue":
      return (
        <Link to="/queues/$name" params={{ name: subject }}>
          queue {subject}
        </Link>
      );
    case "workflow":
      return (
        <Link to="/runs" search={{ workflow: subject }}>
          workflow {subject}
        </Link>
      );
    case "definition":
      return (
        <Link to="/definitions/$name" params={{ name: subject }}>
          definition {subject}
        </Link>
      );
    default:
      return `${subjectType.replaceAll("_", " ")} ${subject}`;
  }
}

const NoEntries = ({ isFiltered }: { isFiltered: boolean }): ReactNode =>
  isFiltered ? (
    <Empty title="No entry matches.">
      <p>
        <Link to="/audit" search={{}}>
          Show all entries
        </Link>
        . Older ones were deleted after the retention of the audit.
      </p>
    </Empty>
  ) : (
    <Empty title="Nothing was changed by hand yet.">
      <p>
        Cancelling, pausing, retrying and rerunning runs, purging and redriving queues, and changes
        of schedules, subscriptions and settings are listed here, whether they come from this
        dashboard, the command line, REST or SQL.
      </p>
    </Empty>
  );
