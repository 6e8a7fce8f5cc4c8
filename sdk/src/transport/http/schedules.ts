/** Schedules, through the server. */
import type { StartedRun } from "../../protocol/runs.ts";
import type {
  CreateScheduleRequest,
  ScheduleOutcome,
  ScheduleRecord,
  ScheduleTransport,
} from "../../protocol/schedules.ts";
import type { TransactionClient } from "../../protocol/transaction.ts";
import type { HttpConnection } from "./connection.ts";
import { jsonOf } from "./json-of.ts";
import { refuseTx } from "./no-tx.ts";
import { withQuery } from "./query.ts";
import { type Shown, toDates, toSeconds } from "./shown.ts";

type Timeless = Omit<ScheduleRecord, "jitterMs" | "graceMs">;

interface ShownSchedule extends Shown<Timeless> {
  readonly jitterSeconds: number;
  readonly graceSeconds: number;
}

const INSTANTS = ["createdAt", "changedAt", "pausedAt", "nextTickAt", "lastTickAt"] as const;

export class HttpScheduleTransport implements ScheduleTransport {
  readonly #connection: HttpConnection;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  async create(request: CreateScheduleRequest, tx?: TransactionClient): Promise<ScheduleOutcome> {
    refuseTx(tx);
    const { name, input, tags, jitterMs, graceMs, ...rest } = request;
    const { outcome } = await this.#connection.ask<{ outcome: ScheduleOutcome }>(pathOf(name), {
      method: "PUT",
      body: jsonOf(
        {
          ...rest,
          jitter: toSeconds(jitterMs),
          grace: toSeconds(graceMs),
        },
        { input, tags },
      ),
    });
    return outcome;
  }

  async delete(name: string, tx?: TransactionClient): Promise<boolean> {
    refuseTx(tx);
    const { deleted } = await this.#connection.ask<{ deleted: boolean }>(pathOf(name), {
      method: "DELETE",
    });
    return deleted;
  }

  pause(name: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean> {
    return this.#change(withQuery(`${pathOf(name)}/pause`, { reason }), tx);
  }

  resume(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.#change(`${pathOf(name)}/resume`, tx);
  }

  async trigger(name: string, tx?: TransactionClient): Promise<StartedRun> {
    refuseTx(tx);
    return this.#connection.ask<StartedRun>(`${pathOf(name)}/trigger`);
  }

  async list(name: string | undefined): Promise<ScheduleRecord[]> {
    const { schedules } = await this.#connection.get<{ schedules: ShownSchedule[] }>(
      "/v1/schedules",
      { name },
    );
    return schedules.map(toRecord);
  }

  async #change(path: string, tx: TransactionClient | undefined): Promise<boolean> {
    refuseTx(tx);
    return (await this.#connection.ask<{ changed: boolean }>(path)).changed;
  }
}

const pathOf = (name: string): string => `/v1/schedules/${encodeURIComponent(name)}`;

const toRecord = ({ jitterSeconds, graceSeconds, ...shown }: ShownSchedule): ScheduleRecord => ({
  ...toDates<Timeless>(shown, INSTANTS),
  jitterMs: jitterSeconds * 1_000,
  graceMs: graceSeconds * 1_000,
});
