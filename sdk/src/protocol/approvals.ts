/** Approvals: what runs ask people. */

/** `withdrawn`: the run has ended, or no longer waits. */
export type ApprovalStatus = "waiting" | "approved" | "rejected" | "expired" | "withdrawn";

export type ApprovalVerdict = "approved" | "rejected";

/** The result of a decision. */
export type DecisionOutcome =
  /** The request ended with it, and the run continues. */
  | "delivered"
  /** Others must decide too. */
  | "counted"
  /** This person, or enough others, decided before. */
  | "decided"
  /** The request timed out or was withdrawn. */
  | "expired";

/** The decision of one person. */
export interface ApprovalDecision {
  readonly actor: string;
  readonly decision: ApprovalVerdict;
  /** The fields that the person filled in. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/** A request for approval: a step of a run that waits for people. */
export interface Approval {
  readonly id: string;
  readonly runId: string;
  readonly workflow: string;
  /** The step that waits; of a declared workflow, the path of the node. */
  readonly step: string;
  readonly status: ApprovalStatus;
  /** The question. */
  readonly title: string;
  readonly description: string | null;
  /** JSON Schema of what approvers fill in. */
  readonly form: Readonly<Record<string, unknown>> | null;
  /** People and groups who may decide; null for everyone with the right to decide approvals. */
  readonly approvers: readonly string[] | null;
  /** How many must approve. */
  readonly quorum: number;
  /** How many must reject. */
  readonly rejections: number;
  /** Whether the people who started the run can't decide. */
  readonly excludesStarter: boolean;
  readonly requestedAt: Date;
  /** Null without an end. */
  readonly expiresAt: Date | null;
  /** When it was decided, expired or withdrawn; null while it waits. */
  readonly endedAt: Date | null;
  /** In the order of time. */
  readonly decisions: readonly ApprovalDecision[];
}

/** A request as it travels, with the instants of decisions as text. */
export interface ShownApproval extends Omit<Approval, "decisions"> {
  readonly decisions: readonly (Omit<ApprovalDecision, "at"> & { readonly at: string })[];
}

export const toApproval = ({ decisions, ...rest }: ShownApproval): Approval => ({
  ...rest,
  decisions: decisions.map((decision) => ({ ...decision, at: new Date(decision.at) })),
});

interface ApprovalConditions {
  /** `decided`: approved or rejected. */
  readonly status?: ApprovalStatus | "decided" | undefined;
  readonly workflow?: string | undefined;
  readonly runId?: string | undefined;
  /** A person who may decide. */
  readonly approver?: string | undefined;
  /** Groups of the person. */
  readonly groups?: readonly string[] | undefined;
}

interface ApprovalPageRequest {
  /** Id of the last request of the page before. */
  readonly before: string | undefined;
  readonly maxApprovals: number;
}

/** A person who decides; undefined for the identity of the connection or the token. */
interface Approver {
  readonly actor: string | undefined;
  readonly groups: readonly string[] | undefined;
}

interface DecideRequest extends Approver {
  readonly id: string;
  readonly decision: ApprovalVerdict;
  readonly values: Readonly<Record<string, unknown>> | undefined;
}

/** Whom a link lets decide. */
export interface ApprovalRecipient {
  readonly approvalId: string;
  readonly actor: string;
  readonly groups: readonly string[] | null;
}

export interface ApprovalTransport {
  /** Rejects with ApprovalNotFound. */
  get(id: string): Promise<Approval>;
  /** A page of requests, newest first. */
  list(conditions: ApprovalConditions, page: ApprovalPageRequest): Promise<Approval[]>;
  decide(request: DecideRequest): Promise<DecisionOutcome>;
  /** Creates a link by which this person can decide, and returns its token. */
  link(id: string, actor: string, groups: readonly string[] | undefined): Promise<string>;
}

/** Reads of a server for the pages behind links. */
export interface ApprovalLinkTransport {
  /** Rejects with ApprovalNotFound. */
  recipientOf(token: string): Promise<ApprovalRecipient>;
}
