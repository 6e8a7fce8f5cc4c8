/** A request for approval: the question, who may decide and who has, and the buttons to decide. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Approval, approvalQuery } from "../../api/approvals.ts";
import { prettyJson } from "../../format/json-text.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { FullTime, Time } from "../../parts/time.tsx";
import { votesOf } from "./approval-columns.tsx";
import { useDecide } from "./decide.tsx";
import { useDecidable } from "./use-decidable.ts";

/** A run asks for few approvals. */
const OF_A_RUN = 1_000;
const route = getRouteApi("/approvals/$approvalId");

export function ApprovalPage(): ReactNode {
  const { approvalId } = route.useParams();
  const query = useQuery(approvalQuery(approvalId));
  if (query.data === undefined) {
    return (
      <Page title={`Request ${approvalId}`}>
        <Answered query={query}>{() => null}</Answered>
      </Page>
    );
  }
  return <Answered query={query}>{(approval) => <OneApproval approval={approval} />}</Answered>;
}

function OneApproval({ approval }: { approval: Approval }): ReactNode {
  const { id, title, description, runId, workflow, step, status } = approval;
  const mayDecide = useDecidable({ runId }, OF_A_RUN);
  const { dialog, buttonsOf } = useDecide();
  return (
    <Page
      title={title}
      tabTitle={`Request ${id}`}
      beside={<Badge text={status} />}
      actions={mayDecide(approval) ? buttonsOf(approval) : null}
    >
      {description === null ? null : <p className="description">{description}</p>}
      <div className="card">
        <Facts
          of={[
            [
              "Run",
              <Link key="run" to="/runs/$runId" params={{ runId }}>
                {workflow} {runId}
              </Link>,
            ],
            ["Step", step],
            ["Approvers", approval.approvers?.join(", ") ?? "anyone"],
            ["Starter of the run", approval.excludesStarter ? "can't decide" : null],
            ["Approvals needed", approval.quorum],
            ["Rejections needed", approval.rejections],
            ["Votes", votesOf(approval)],
            ["Requested", <FullTime key="requested" at={approval.requestedAt} />],
            [
              "Expires",
              status !== "waiting" ? null : approval.expiresAt === null ? (
                "never"
              ) : (
                <Time key="expires" at={approval.expiresAt} />
              ),
            ],
            [
              "Ended",
              approval.endedAt === null ? null : <FullTime key="ended" at={approval.endedAt} />,
            ],
          ]}
        />
      </div>
      <h2>Decisions</h2>
      <Table
        caption="Decisions"
        columns={DECISIONS}
        rows={approval.decisions}
        keyOf={({ actor }) => actor}
        empty={<Empty title="Nobody has decided." />}
      />
      {dialog}
    </Page>
  );
}

const DECISIONS: readonly Column<Approval["decisions"][number]>[] = [
  { title: "Time", cell: ({ at }) => <FullTime at={at} /> },
  { title: "Person", kind: "long", cell: ({ actor }) => actor },
  { title: "Decision", cell: ({ decision }) => <Badge text={decision} /> },
  {
    title: "Filled in",
    kind: "long",
    cell: ({ values }) => (Object.keys(values).length === 0 ? "" : <pre>{prettyJson(values)}</pre>),
  },
];
