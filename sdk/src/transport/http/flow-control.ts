/** Flow control, through the server. */
import type { FlowControlTransport, FlowState } from "../../protocol/flow-control.ts";
import type { ServerRequests } from "../../protocol/rooms.ts";
import { askingFor } from "./requests.ts";
import { type Shown, toDate, toDates } from "./shown.ts";

export function flowControlOverHttp(server: ServerRequests): FlowControlTransport {
  const askFor = askingFor(server);
  return {
    set: (workflow, settings, version, tx) => {
      const body = JSON.stringify({ settings, version });
      // The same again changes nothing.
      return askFor("outcome", pathOf(workflow), { method: "PUT", body, isRead: true }, tx);
    },

    charge: async (workflow, amount, flowKey, tx) => {
      const body = JSON.stringify({ amount, flowKey });
      return toDate(await askFor("opensAt", `${pathOf(workflow)}/charge`, { body }, tx));
    },

    get: async (workflow) => {
      const state = await askFor<Shown<FlowState> | null>("flowControl", pathOf(workflow));
      return state === null ? undefined : toDates<FlowState>(state, ["opensAt"]);
    },
  };
}

const pathOf = (workflow: string): string =>
  `/v1/workflows/${encodeURIComponent(workflow)}/flow-control`;
