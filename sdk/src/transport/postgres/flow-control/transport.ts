/** Flow control, straight to the database. */
import type { FlowControlTransport } from "../../../protocol/flow-control.ts";
import type { Queries } from "../connection/queries.ts";
import { flowCharge, workflowFlowControl, workflowSetFlowControl } from "./functions.ts";

export const flowControlOverPostgres = (queries: Queries): FlowControlTransport => ({
  set: (workflow, settings, version, tx) => {
    const text = settings === null ? null : JSON.stringify(settings);
    return queries.value(workflowSetFlowControl, [workflow, text, version], { tx });
  },

  charge: (workflow, amount, flowKey, tx) =>
    queries.value(flowCharge, [workflow, amount, flowKey ?? null], { tx }),

  get: async (workflow) => (await queries.query(workflowFlowControl, [workflow]))[0],
});
