/** The filters, the place in the list and the event that is explained, as the address has them. */
import type { EventState } from "../../api/triggers.ts";

export interface EventsSearch {
  topic?: string | undefined;
  state?: EventState | undefined;
  /** The event that is explained. */
  event?: string | undefined;
  /** The version whose triggers explain it. Default: the published one. */
  version?: number | undefined;
  /** Id of the last event of the page before. */
  before?: string | undefined;
}

const LONGEST = 255;
const MOST_VERSIONS = 999_999_999;
const ID = /^\d{1,18}$/;
const STATES: ReadonlySet<string> = new Set(["evaluated", "retrying", "failed", "refused"]);

export function readEventsSearch(given: Record<string, unknown>): EventsSearch {
  const search: EventsSearch = {};
  const { topic, state, event, version, before } = given;
  if (typeof topic === "string" && topic.trim() !== "")
    search.topic = topic.trim().slice(0, LONGEST);
  if (typeof state === "string" && STATES.has(state)) search.state = state as EventState;
  if (typeof event === "string" && ID.test(event)) search.event = event;
  const asked = typeof version === "string" ? Number(version) : version;
  if (typeof asked === "number" && Number.isInteger(asked) && asked > 0 && asked <= MOST_VERSIONS)
    search.version = asked;
  if (typeof before === "string" && ID.test(before)) search.before = before;
  return search;
}
