/** The messages of a queue that are shown, and the hours of its charts, as the address has them. */
import { id, oneOf, searchReader, text } from "../../format/search.ts";

export const CHART_HOURS = ["1", "6", "24"] as const;

export const readPeekSearch = searchReader({
  /** Id of the last message of the page before. */
  after: id,
  /** A condition that the messages must contain. */
  matching: text(),
  /** How far back the charts go. Default: one hour. */
  hours: oneOf(CHART_HOURS.slice(1)),
});

export type PeekSearch = ReturnType<typeof readPeekSearch>;
