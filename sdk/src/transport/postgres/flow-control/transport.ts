/** Flow control, straight to the database. */
import type {
  FlowControlTransport,
  FlowOutcome,
  FlowState,
} from "../../../protocol/flow-control.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
import type { Pool } from "../connection/pool.ts";
import { workflowFlowControl, workflowSetFlowControl } from "./calls.ts";
import { type FlowRow, toFlowState } from "./rows.ts";

export class PostgresFlowControlTransport implements FlowControlTransport {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async set(
    workflow: string,
    settings: Readonly<Record<string, unknown>> | null,
    version: number,
    tx?: TransactionClient,
  ): Promise<FlowOutcome> {
    const values = [workflow, settings === null ? null : JSON.stringify(settings), version];
    const { outcome } = await this.#pool.queryOne<{ outcome: FlowOutcome }>(
      workflowSetFlowControl,
      values,
      { tx },
    );
    return outcome;
  }

  async get(workflow: string): Promise<FlowState | undefined> {
    const [row] = await this.#pool.query<FlowRow>(workflowFlowControl, [workflow]);
    return row && toFlowState(row);
  }
}
