/** Which requests the caller may decide, as the server judges: by name, by role, and not as the one who started the run. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Approval, approvalsQuery } from "../../api/approvals.ts";
import { sessionQuery } from "../../api/session.ts";
import { useMay } from "../../shell/may.tsx";

type Filter = Parameters<typeof approvalsQuery>[0];

/**
 * @param filter Of the list. The caller's own requests among its first rows are among the first rows of the caller's own.
 * @returns Whether the caller may decide a request, and hasn't done so; false until the server has answered.
 */
export function useDecidable(filter: Filter, limit: number): (approval: Approval) => boolean {
  const mayApprove = useMay()("approve");
  const { data: session } = useQuery(sessionQuery);
  const { data } = useQuery({
    ...approvalsQuery({ ...filter, status: "waiting", approver: undefined, mine: true }, limit),
    enabled: mayApprove,
    placeholderData: keepPreviousData,
  });
  const own = new Set(data?.approvals.map(({ id }) => id));
  return ({ id, status, decisions }) =>
    mayApprove &&
    status === "waiting" &&
    own.has(id) &&
    !decisions.some(({ actor }) => actor === session?.actor);
}
