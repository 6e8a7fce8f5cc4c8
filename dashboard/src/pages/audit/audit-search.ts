/** The filters and the place in the list, as the address has them. */
export interface AuditSearch {
  actor?: string | undefined;
  action?: string | undefined;
  subjectType?: string | undefined;
  subject?: string | undefined;
  /** Cursor of the page. */
  cursor?: string | undefined;
}

const LONGEST = 1_000;
const TEXTS = ["actor", "action", "subjectType", "subject"] as const;

export function readAuditSearch(given: Record<string, unknown>): AuditSearch {
  const search: AuditSearch = {};
  for (const name of TEXTS) {
    const text = given[name];
    if (typeof text === "string" && text.trim() !== "")
      search[name] = text.trim().slice(0, LONGEST);
  }
  const { cursor } = given;
  if (typeof cursor === "string" && /^\d{1,18}-\d{1,18}$/.test(cursor)) search.cursor = cursor;
  return search;
}
