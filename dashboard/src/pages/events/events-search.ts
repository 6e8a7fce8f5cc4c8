/** The filters, the place in the list and the event that is explained, as the address has them. */
import type { EventState } from "../../api/triggers.ts";
import { id, oneOf, searchReader, text } from "../../format/search.ts";

const LONGEST = 255;
const MOST_VERSIONS = 999_999_999;

export const STATES: readonly EventState[] = ["evaluated", "retrying", "failed", "refused"];

export const readEventsSearch = searchReader({
  topic: text(LONGEST),
  state: oneOf(STATES),
  /** The event that is explained. */
  event: id,
  /** The version whose triggers explain it. Default: the published one. */
  version: (given): number | undefined => {
    const version = Number(given);
    return Number.isInteger(version) && version > 0 && version <= MOST_VERSIONS
      ? version
      : undefined;
  },
  /** Id of the last event of the page before. */
  before: id,
});

export type EventsSearch = ReturnType<typeof readEventsSearch>;
