/** Flow control, straight to the database. */
import type {
  FlowControlTransport,
  FlowOutcome,
  FlowState,
} from "../../../protocol/flow-control.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
import type { Pool } from "../connection/pool.ts";
import { workflowFlowControl, workflowSetFlowControl } from "./functions.ts";

export class PostgresFlowControlTransport implements FlowControlTransport {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  set(
    workflow: string,
    settings: Readonly<Record<string, unknown>> | null,
    version: number,
    tx?: TransactionClient,
  ): Promise<FlowOutcome> {
    const text = settings === null ? null : JSON.stringify(settings);
    return this.#pool.value(workflowSetFlowControl, [workflow, text, version], { tx });
  }

  async get(workflow: string): Promise<FlowState | undefined> {
    const [state] = await this.#pool.query(workflowFlowControl, [workflow]);
    return state;
  }
}
