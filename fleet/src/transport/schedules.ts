/** Schedules over shards: each is at home by its name, so that it ticks once. */
import type {
  CreateScheduleRequest,
  ScheduleOutcome,
  ScheduleRecord,
  ScheduleTransport,
  StartedRun,
  TransactionClient,
} from "@oxbow/sdk/internal/fleet";
import type { Fleet } from "./fleet.ts";
import { byName } from "./merging.ts";
import { atPlace } from "./places.ts";

export class FleetScheduleTransport implements ScheduleTransport {
  readonly #fleet: Fleet;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  async create(request: CreateScheduleRequest, tx?: TransactionClient): Promise<ScheduleOutcome> {
    return this.#at(request.name, tx, (schedules) => schedules.create(request, tx));
  }

  async delete(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.#at(name, tx, (schedules) => schedules.delete(name, tx));
  }

  async pause(name: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean> {
    return this.#at(name, tx, (schedules) => schedules.pause(name, reason, tx));
  }

  async resume(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.#at(name, tx, (schedules) => schedules.resume(name, tx));
  }

  async trigger(name: string, tx?: TransactionClient): Promise<StartedRun> {
    return this.#at(name, tx, (schedules) => schedules.trigger(name, tx));
  }

  async list(name: string | undefined): Promise<ScheduleRecord[]> {
    if (name !== undefined) {
      const found = await this.#at(name, undefined, (schedules) => schedules.list(name));
      // It may have moved: then the map is older.
      if (found.length > 0) return found;
    }
    const found = await this.#fleet.all(({ schedules }) => schedules.list(name));
    return found.flat().toSorted(byName);
  }

  #at<Value>(
    name: string,
    tx: TransactionClient | undefined,
    call: (schedules: ScheduleTransport) => Promise<Value>,
  ): Promise<Value> {
    return atPlace({ fleet: this.#fleet, name, tx, call: ({ schedules }) => call(schedules) });
  }
}
