/** Flow control, straight to the database. */
import type {
  FlowControlTransport,
  FlowOutcome,
  FlowState,
} from "../../../protocol/flow-control.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
import type { Queries } from "../connection/queries.ts";
import { flowCharge, workflowFlowControl, workflowSetFlowControl } from "./functions.ts";

export class PostgresFlowControlTransport implements FlowControlTransport {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  set(
    workflow: string,
    settings: Readonly<Record<string, unknown>> | null,
    version: number,
    tx?: TransactionClient,
  ): Promise<FlowOutcome> {
    const text = settings === null ? null : JSON.stringify(settings);
    return this.#queries.value(workflowSetFlowControl, [workflow, text, version], { tx });
  }

  charge(
    workflow: string,
    amount: number,
    flowKey: string | undefined,
    tx?: TransactionClient,
  ): Promise<Date | null> {
    return this.#queries.value(flowCharge, [workflow, amount, flowKey ?? null], { tx });
  }

  async get(workflow: string): Promise<FlowState | undefined> {
    const [state] = await this.#queries.query(workflowFlowControl, [workflow]);
    return state;
  }
}
