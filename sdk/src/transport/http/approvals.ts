/** Approvals, through the server, which compares values with the form of the request. */
import { toStorableText } from "../../core/json.ts";
import {
  type Approval,
  type ApprovalConditions,
  type ApprovalPageRequest,
  type ApprovalTransport,
  type DecideRequest,
  type DecisionOutcome,
  type ShownApproval,
  toApproval,
} from "../../protocol/approvals.ts";
import type { HttpConnection } from "./connection.ts";
import { jsonOf } from "./json-of.ts";
import { type Shown, toDates } from "./shown.ts";

const INSTANTS = ["requestedAt", "expiresAt", "endedAt"] as const;

const read = (shown: Shown<ShownApproval>): Approval =>
  toApproval(toDates<ShownApproval>(shown, INSTANTS));

export class HttpApprovalTransport implements ApprovalTransport {
  readonly #connection: HttpConnection;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  async get(id: string): Promise<Approval> {
    return read(await this.#connection.get<Shown<ShownApproval>>(`/v1/approvals/${id}`));
  }

  async list(
    { groups, ...conditions }: ApprovalConditions,
    { before, maxApprovals }: ApprovalPageRequest,
  ): Promise<Approval[]> {
    const query = { ...conditions, group: groups, cursor: before, limit: maxApprovals };
    const { approvals } = await this.#connection.get<{ approvals: Shown<ShownApproval>[] }>(
      "/v1/approvals",
      query,
    );
    return approvals.map(read);
  }

  async decide({ id, decision, values, actor, groups }: DecideRequest): Promise<DecisionOutcome> {
    const { outcome } = await this.#connection.ask<{ outcome: DecisionOutcome }>(
      `/v1/approvals/${id}/decision`,
      {
        body: jsonOf(
          { decision, groups },
          { values: toStorableText(values, "the values of a decision") },
        ),
        headers: actor === undefined ? {} : { "oxbow-actor": actor },
      },
    );
    return outcome;
  }

  async link(id: string, actor: string, groups: readonly string[] | undefined): Promise<string> {
    const { token } = await this.#connection.ask<{ token: string }>(`/v1/approvals/${id}/links`, {
      body: jsonOf({ actor, groups }),
    });
    return token;
  }
}
