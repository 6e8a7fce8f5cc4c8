/** Flow control, through the server. */
import type { FlowControlTransport, FlowOutcome, FlowState } from "../../protocol/flow-control.ts";
import type { TransactionClient } from "../../protocol/transaction.ts";
import type { HttpConnection } from "./connection.ts";
import { refuseTx } from "./no-tx.ts";
import { type Shown, toDate, toDates } from "./shown.ts";

export class HttpFlowControlTransport implements FlowControlTransport {
  readonly #connection: HttpConnection;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  async set(
    workflow: string,
    settings: Readonly<Record<string, unknown>> | null,
    version: number,
    tx?: TransactionClient,
  ): Promise<FlowOutcome> {
    refuseTx(tx);
    const { outcome } = await this.#connection.ask<{ outcome: FlowOutcome }>(
      pathOf(workflow),
      // The same again changes nothing.
      { method: "PUT", body: JSON.stringify({ settings, version }), isRead: true },
    );
    return outcome;
  }

  async charge(
    workflow: string,
    amount: number,
    flowKey: string | undefined,
    tx?: TransactionClient,
  ): Promise<Date | null> {
    refuseTx(tx);
    const { opensAt } = await this.#connection.ask<{ opensAt: string | null }>(
      `${pathOf(workflow)}/charge`,
      { body: JSON.stringify({ amount, flowKey }) },
    );
    return toDate(opensAt);
  }

  async get(workflow: string): Promise<FlowState | undefined> {
    const { flowControl } = await this.#connection.get<{ flowControl: Shown<FlowState> | null }>(
      pathOf(workflow),
    );
    if (flowControl === null) return undefined;
    return toDates<FlowState>(flowControl, ["opensAt"]);
  }
}

const pathOf = (workflow: string): string =>
  `/v1/workflows/${encodeURIComponent(workflow)}/flow-control`;
