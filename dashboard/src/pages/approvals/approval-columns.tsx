/** The columns of a list of requests. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Approval } from "../../api/approvals.ts";
import { Badge } from "../../parts/badge.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";

export const approvalColumns = (
  buttonsOf: (approval: Approval) => ReactNode,
): readonly Column<Approval>[] => [
  {
    title: "Question",
    kind: "long",
    cell: ({ id, title, description }) => (
      <>
        <Link to="/approvals/$approvalId" params={{ approvalId: id }}>
          {title}
        </Link>
        {description === null ? null : <div className="soft">{description}</div>}
      </>
    ),
  },
  {
    title: "Run",
    wide: true,
    cell: ({ runId, workflow, step }) => (
      <>
        <Link to="/runs/$runId" params={{ runId }}>
          {workflow} {runId}
        </Link>
        <div className="soft">{step}</div>
      </>
    ),
  },
  {
    title: "Approvers",
    wide: true,
    cell: ({ approvers }) =>
      approvers?.map((approver) => <div key={approver}>{approver}</div>) ?? "anyone",
  },
  { title: "Requested", wide: true, cell: ({ requestedAt }) => <Time at={requestedAt} /> },
  {
    title: "Expires",
    wide: true,
    cell: ({ expiresAt, status }) =>
      expiresAt === null ? "never" : status === "waiting" ? <Time at={expiresAt} /> : "",
  },
  {
    title: "State",
    wide: true,
    cell: (approval) => (
      <>
        <Badge text={approval.status} /> <div className="soft">{votesOf(approval)}</div>
      </>
    ),
  },
  { title: "Decision", cell: buttonsOf },
];

/** The people who have decided, or how many must. */
export function votesOf({ status, decisions, quorum }: Approval): string {
  if (status === "waiting" && quorum > 1) {
    const approved = decisions.filter(({ decision }) => decision === "approved").length;
    return `${approved} of ${quorum} approved`;
  }
  return decisions.length === 0 ? "" : `by ${decisions.map(({ actor }) => actor).join(", ")}`;
}
