/** The filters and the place in the list, as the address has them. */
import { searchReader, text, textLike } from "../../format/search.ts";

const LONGEST = 1_000;

export const readAuditSearch = searchReader({
  actor: text(LONGEST),
  action: text(LONGEST),
  subjectType: text(LONGEST),
  subject: text(LONGEST),
  /** Cursor of the page. */
  cursor: textLike(/^\d{1,18}-\d{1,18}$/),
});

export type AuditSearch = ReturnType<typeof readAuditSearch>;
