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
import { toDate } from "./shown.ts";

interface ShownSchedule extends Omit<
  ScheduleRecord,
  "createdAt" | "changedAt" | "pausedAt" | "nextTickAt" | "lastTickAt" | "jitterMs" | "graceMs"
> {
  readonly jitterSeconds: number;
  readonly graceSeconds: number;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly pausedAt: string | null;
  readonly nextTickAt: string | null;
  readonly lastTickAt: string | null;
}

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
          jitter: jitterMs === undefined ? undefined : jitterMs / 1_000,
          grace: graceMs === undefined ? undefined : graceMs / 1_000,
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
    const query = reason === undefined ? "" : `?${new URLSearchParams({ reason }).toString()}`;
    return this.#change(`${pathOf(name)}/pause${query}`, tx);
  }

  resume(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.#change(`${pathOf(name)}/resume`, tx);
  }

  async trigger(name: string, tx?: TransactionClient): Promise<StartedRun> {
    refuseTx(tx);
    return this.#connection.ask<StartedRun>(`${pathOf(name)}/trigger`);
  }

  async list(name: string | undefined): Promise<ScheduleRecord[]> {
    const query = name === undefined ? "" : `?${new URLSearchParams({ name }).toString()}`;
    const { schedules } = await this.#connection.ask<{ schedules: ShownSchedule[] }>(
      `/v1/schedules${query}`,
      { method: "GET" },
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
  ...shown,
  jitterMs: jitterSeconds * 1_000,
  graceMs: graceSeconds * 1_000,
  createdAt: new Date(shown.createdAt),
  changedAt: new Date(shown.changedAt),
  pausedAt: toDate(shown.pausedAt),
  nextTickAt: toDate(shown.nextTickAt),
  lastTickAt: toDate(shown.lastTickAt),
});
