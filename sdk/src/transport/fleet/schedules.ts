/** Schedules over shards: each is at home by its name, so that it ticks once. */
import type { StartedRun } from "../../protocol/runs.ts";
import type {
  CreateScheduleRequest,
  ScheduleOutcome,
  ScheduleRecord,
  ScheduleTransport,
} from "../../protocol/schedules.ts";
import type { TransactionClient } from "../../protocol/transaction.ts";
import type { Fleet } from "./fleet.ts";

export class FleetScheduleTransport implements ScheduleTransport {
  readonly #fleet: Fleet;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  async create(request: CreateScheduleRequest, tx?: TransactionClient): Promise<ScheduleOutcome> {
    return (await this.#of(request.name, tx)).create(request, tx);
  }

  async delete(name: string, tx?: TransactionClient): Promise<boolean> {
    return (await this.#of(name, tx)).delete(name, tx);
  }

  async pause(name: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean> {
    return (await this.#of(name, tx)).pause(name, reason, tx);
  }

  async resume(name: string, tx?: TransactionClient): Promise<boolean> {
    return (await this.#of(name, tx)).resume(name, tx);
  }

  async trigger(name: string, tx?: TransactionClient): Promise<StartedRun> {
    return (await this.#of(name, tx)).trigger(name, tx);
  }

  async list(name: string | undefined): Promise<ScheduleRecord[]> {
    if (name !== undefined) return (await this.#of(name)).list(name);
    const found = await this.#fleet.all(({ schedules }) => schedules.list(undefined));
    return found.flat().toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async #of(name: string, tx?: TransactionClient): Promise<ScheduleTransport> {
    return (await this.#fleet.ofName(name, `Schedule "${name}"`, tx)).transport.schedules;
  }
}
