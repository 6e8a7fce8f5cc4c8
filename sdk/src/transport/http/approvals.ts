/** Approvals, through the server, which compares values with the form of the request. */
import { toStorableText } from "../../core/json.ts";
import {
  type Approval,
  type ApprovalTransport,
  type ShownApproval,
  toApproval,
} from "../../protocol/approvals.ts";
import type { ServerRequests } from "../../protocol/rooms.ts";
import { askingFor, jsonOf, READ, withQuery } from "./requests.ts";
import { type Shown, toDates } from "./shown.ts";

const INSTANTS = ["requestedAt", "expiresAt", "endedAt"] as const;

const read = (shown: Shown<ShownApproval>): Approval =>
  toApproval(toDates<ShownApproval>(shown, INSTANTS));

export function approvalsOverHttp(server: ServerRequests): ApprovalTransport {
  const askFor = askingFor(server);
  return {
    get: async (id) => read(await server.ask(`/v1/approvals/${id}`, READ)),

    list: async ({ groups: group, ...conditions }, { before: cursor, maxApprovals: limit }) => {
      const path = withQuery("/v1/approvals", { ...conditions, group, cursor, limit });
      return (await askFor<Shown<ShownApproval>[]>("approvals", path)).map(read);
    },

    decide: async ({ id, decision, values: given, actor, groups }) => {
      const values = toStorableText(given, "the values of a decision");
      return askFor("outcome", `/v1/approvals/${id}/decision`, {
        body: jsonOf({ decision, groups }, { values }),
        headers: actor === undefined ? {} : { "oxbow-actor": actor },
      });
    },

    link: (id, actor, groups) =>
      askFor("token", `/v1/approvals/${id}/links`, { body: jsonOf({ actor, groups }) }),
  };
}
