/** The triggers of a definition, and the events that reached them: why each started a run, or didn't. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { definitionQuery } from "../../api/definitions.ts";
import { triggerEventsQuery } from "../../api/triggers.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Choice, FilterForm, TextFilters } from "../../parts/filter-form.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/paged-table.tsx";
import { PauseButton } from "../definitions/pause-button.tsx";
import { May } from "../../shell/may.tsx";
import { eventColumns } from "./event-columns.tsx";
import { ExplainDialog } from "./explain-dialog.tsx";
import { type EventsSearch, readEventsSearch, STATES } from "./events-search.ts";
import { Hooks } from "./hooks.tsx";
import { TriggerTable } from "./trigger-table.tsx";
import "./events.css";

const EVENTS_A_PAGE = 50;
const route = getRouteApi("/definitions/$name/events");

export function EventsPage(): ReactNode {
  const { name } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { event, version, ...filter } = search;
  const definition = useQuery(definitionQuery(name));
  const query = useQuery({
    ...triggerEventsQuery({ definition: name, ...filter }, EVENTS_A_PAGE),
    placeholderData: keepPreviousData,
  });
  const { data: found } = definition;
  return (
    <Page
      title={`Events of ${name}`}
      beside={found === undefined ? null : <Badge text={found.state} />}
      actions={
        <>
          {found === undefined ? null : (
            <May scope="publish">
              <PauseButton definition={found} />
            </May>
          )}
          <Link to="/definitions/$name" params={{ name }} className="button">
            Open in the editor
          </Link>
        </>
      }
    >
      {found === undefined || found.pauseReason === null ? null : (
        <p className="stale">Paused: {found.pauseReason}</p>
      )}
      <Answered query={definition}>
        {({ publishedVersion }) => <TriggerTable name={name} version={publishedVersion} />}
      </Answered>
      <May scope="publish">
        <Hooks name={name} />
      </May>
      <h2>Events</h2>
      <Filters key={JSON.stringify(filter)} name={name} search={filter} />
      <Answered query={query}>
        {({ events }) => (
          <PagedTable
            caption="Events"
            columns={eventColumns(name, search)}
            rows={events}
            keyOf={({ eventId }) => eventId}
            empty={
              <Empty title="No event reached the triggers.">
                <p>
                  Events that are published to a topic of a trigger are kept for 7 days, whether
                  they start a run or not.
                </p>
              </Empty>
            }
            query={query}
            search={filter}
            place="before"
            next={events.length < EVENTS_A_PAGE ? undefined : events.at(-1)?.eventId}
            toFirst="Newest events"
            toNext="Older events"
          />
        )}
      </Answered>
      {event === undefined ? null : (
        <ExplainDialog
          name={name}
          eventId={event}
          version={version}
          onClose={() =>
            void navigate({ to: "/definitions/$name/events", params: { name }, search: filter })
          }
        />
      )}
    </Page>
  );
}

const TEXTS = [{ name: "topic", label: "Topic", placeholder: "incident.updated" }] as const;

function Filters({
  name,
  search,
}: {
  readonly name: string;
  readonly search: EventsSearch;
}): ReactNode {
  const navigate = useNavigate();
  const { before: _before, ...filters } = search;
  const apply = (fields: FormData): void => {
    const next = readEventsSearch(Object.fromEntries(fields));
    if (JSON.stringify(next) === JSON.stringify(filters)) return;
    void navigate({ to: "/definitions/$name/events", params: { name }, search: next });
  };
  return (
    <FilterForm label="Events" onApply={apply}>
      <TextFilters of={TEXTS} search={search} />
      <Choice label="State" name="state" value={search.state} options={[["", "any"], ...STATES]} />
    </FilterForm>
  );
}
