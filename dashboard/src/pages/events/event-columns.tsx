/** The columns of a list of events. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { TriggerEvent } from "../../api/triggers.ts";
import { shortened } from "../../format/shortened.ts";
import { Badge } from "../../parts/badge.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import type { EventsSearch } from "./events-search.ts";

const LONGEST_TEXT = 120;

export const eventColumns = (
  name: string,
  search: EventsSearch,
): readonly Column<TriggerEvent>[] => [
  { title: "Published", cell: ({ publishedAt }) => <Time at={publishedAt} /> },
  { title: "Topic", wide: true, cell: ({ topic }) => <code>{topic}</code> },
  {
    title: "Message",
    kind: "long",
    wide: true,
    cell: ({ message }) => (
      <span className="mono">{shortened(JSON.stringify(message) ?? "", LONGEST_TEXT)}</span>
    ),
  },
  { title: "Result", kind: "long", cell: (event) => <Result name={name} event={event} /> },
  {
    title: "Explanation",
    cell: ({ eventId }) => (
      <Link
        to="/definitions/$name/events"
        params={{ name }}
        search={{ ...search, event: eventId }}
        aria-label={`Why? Event ${eventId}`}
      >
        Why?
      </Link>
    ),
  },
];

function Result({
  name,
  event: { state, error, matches },
}: {
  readonly name: string;
  readonly event: TriggerEvent;
}): ReactNode {
  if (state !== "evaluated") {
    return (
      <>
        <Badge text={state} /> <span className="soft">{error}</span>
      </>
    );
  }
  const own = matches.filter(({ definition }) => definition === name);
  if (own.length === 0) return <span className="soft">started no run</span>;
  return own.map(({ trigger, outcome, runId, error: reason }) => (
    <div key={trigger}>
      <Badge text={outcome} /> <span className="soft">{trigger}</span>{" "}
      {runId === null ? null : (
        <Link to="/runs/$runId" params={{ runId }}>
          run {runId}
        </Link>
      )}{" "}
      {outcome === "once" ? <span className="soft">was started before</span> : reason}
    </div>
  ));
}
