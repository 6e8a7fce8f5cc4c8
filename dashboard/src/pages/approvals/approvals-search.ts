/** The filters and the place in the list, as the address has them. */
export interface ApprovalsSearch {
  /** Default: waiting. */
  state?: "decided" | "all" | undefined;
  workflow?: string | undefined;
  approver?: string | undefined;
  runId?: string | undefined;
  mine?: true | undefined;
  /** Cursor of the page. */
  cursor?: string | undefined;
}

const LONGEST = 256;
const ID = /^\d{1,18}$/;
const TRUE: ReadonlySet<unknown> = new Set([true, "true", "on"]);

export function readApprovalsSearch(given: Record<string, unknown>): ApprovalsSearch {
  const search: ApprovalsSearch = {};
  const { state, mine } = given;
  const [workflow, approver, runId, cursor] = ["workflow", "approver", "runId", "cursor"].map(
    (name) => {
      const text = given[name];
      return typeof text === "string" ? text.trim() : "";
    },
  );
  if (state === "decided" || state === "all") search.state = state;
  if (workflow !== undefined && /^[a-z0-9][a-z0-9_-]{0,42}$/.test(workflow))
    search.workflow = workflow;
  if (approver !== undefined && approver !== "") search.approver = approver.slice(0, LONGEST);
  if (runId !== undefined && ID.test(runId)) search.runId = runId;
  if (TRUE.has(mine)) search.mine = true;
  if (cursor !== undefined && ID.test(cursor)) search.cursor = cursor;
  return search;
}
