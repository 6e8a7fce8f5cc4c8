/** Runs, newest first, by the filters of the address. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { searchQuery } from "../../api/runs.ts";
import { useEvents } from "../../api/use-events.ts";
import { Answered } from "../../parts/answered.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Live, Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/paged-table.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { May } from "../../shell/may.tsx";
import { useNow } from "../../shell/use-now.ts";
import { ChangeRuns } from "./change-runs.tsx";
import { ColumnChooser, useRunColumns } from "./column-chooser.tsx";
import { ExportRuns } from "./export-runs.tsx";
import { RUN_COLUMNS } from "./run-columns.tsx";
import { RunFilters } from "./run-filters.tsx";
import { conditionsOf, type RunsSearch } from "./runs-search.ts";
import { StartRun } from "./start-run.tsx";
import "./runs.css";

const RUNS_A_PAGE = 50;
/** Many events, one search. */
const GATHER_MS = 300;
/** The searches, and how many runs they find. */
const LISTS = { queryKey: ["runs"] };

const route = getRouteApi("/runs");

export function RunsPage(): ReactNode {
  const search = route.useSearch();
  const { workflow } = search;
  const conditions = useConditions(search);
  return (
    <Page
      title={workflow === undefined ? "Runs" : `Runs of ${workflow}`}
      beside={workflow === undefined ? null : <Live />}
      actions={
        conditions instanceof Error ? null : (
          <>
            <May scope="produce">
              <StartRun workflow={workflow} />
            </May>
            <May scope="admin">
              <ChangeRuns conditions={conditions} />
            </May>
            <ExportRuns conditions={conditions} />
            <ColumnChooser />
          </>
        )
      }
    >
      <RunFilters key={JSON.stringify(search)} search={search} />
      {conditions instanceof Error ? (
        <ProblemBox error={conditions} />
      ) : (
        <RunList search={search} conditions={conditions} />
      )}
    </Page>
  );
}

/** The conditions, or why the filters can't be read. */
function useConditions(search: RunsSearch): ReturnType<typeof conditionsOf> | Error {
  const now = useNow();
  try {
    return conditionsOf(search, now);
  } catch (error) {
    return error as Error;
  }
}

function RunList({
  search,
  conditions,
}: {
  readonly search: RunsSearch;
  readonly conditions: ReturnType<typeof conditionsOf>;
}): ReactNode {
  useLiveRuns(search.workflow);
  const titles = useRunColumns();
  const query = useQuery({
    ...searchQuery(conditions, search.before, RUNS_A_PAGE),
    placeholderData: keepPreviousData,
  });
  return (
    <Answered query={query}>
      {({ runs }) => (
        <PagedTable
          caption="Runs"
          columns={columnsOf(titles, search.workflow)}
          rows={runs}
          keyOf={({ runId }) => runId}
          empty={<NoRuns isFiltered={Object.keys(search).length > 0} />}
          query={query}
          search={search}
          place="before"
          next={runs.length < RUNS_A_PAGE ? undefined : runs.at(-1)?.cursor}
          toFirst="Newest runs"
          toNext="Older runs"
        />
      )}
    </Answered>
  );
}

/** Searches again soon after a run of the workflow starts or ends. */
function useLiveRuns(workflow: string | undefined): void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const searchAgain = (): void => {
    timer.current = undefined;
    // A search that was given up for the next one would show nothing while runs keep starting.
    if (queries.isFetching(LISTS) > 0) searchSoon();
    else void queries.invalidateQueries(LISTS);
  };
  const searchSoon = (): void => {
    timer.current ??= setTimeout(searchAgain, GATHER_MS);
  };
  const path =
    workflow === undefined ? undefined : `./v1/workflows/${encodeURIComponent(workflow)}/events`;
  useEvents(path, ({ name }) => {
    if (name === "run") searchSoon();
  });
}

/** A list of one workflow need not repeat its name. */
const columnsOf = (titles: readonly string[], workflow: string | undefined) =>
  RUN_COLUMNS.filter(
    ({ title }) => titles.includes(title) && (workflow === undefined || title !== "Workflow"),
  );

const EXAMPLE = `select queue.workflow_start('onboard-user', '{"email": "ada@example.com"}');`;

const NoRuns = ({ isFiltered }: { isFiltered: boolean }): ReactNode =>
  isFiltered ? (
    <Empty title="No run fits these filters.">
      <Link to="/runs">Remove all filters</Link>
    </Empty>
  ) : (
    <Empty title="No run yet.">
      <p>
        Start one here, by <code>oxbow start</code>, by a client, or inside your own transaction:
      </p>
      <pre>{EXAMPLE}</pre>
    </Empty>
  );
