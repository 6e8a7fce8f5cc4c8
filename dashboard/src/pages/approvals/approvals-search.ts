/** The filters and the place in the list, as the address has them. */
import { id, oneOf, searchReader, text, textLike } from "../../format/search.ts";

const LONGEST = 256;
const TRUE: ReadonlySet<unknown> = new Set([true, "true", "on"]);

export const readApprovalsSearch = searchReader({
  /** Default: waiting. */
  state: oneOf(["decided", "all"] as const),
  workflow: textLike(/^[a-z0-9][a-z0-9_-]{0,42}$/),
  approver: text(LONGEST),
  runId: id,
  mine: (given): true | undefined => (TRUE.has(given) ? true : undefined),
  /** Cursor of the page. */
  cursor: id,
});

export type ApprovalsSearch = ReturnType<typeof readApprovalsSearch>;
