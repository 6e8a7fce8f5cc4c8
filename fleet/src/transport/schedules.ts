/** Schedules over shards: each is at home by its name, so that it ticks once. */
import type { ScheduleTransport, TransactionClient } from "@oxbow/sdk/internal/fleet";
import type { Fleet } from "./fleet.ts";
import { byName } from "./merging.ts";
import { atPlace } from "./places.ts";

export function fleetSchedules(fleet: Fleet): ScheduleTransport {
  const at = <Value>(
    name: string,
    tx: TransactionClient | undefined,
    call: (schedules: ScheduleTransport) => Promise<Value>,
  ): Promise<Value> => atPlace({ fleet, name, tx, call: ({ schedules }) => call(schedules) });
  return {
    create: (request, tx) => at(request.name, tx, (schedules) => schedules.create(request, tx)),
    delete: (name, tx) => at(name, tx, (schedules) => schedules.delete(name, tx)),
    pause: (name, reason, tx) => at(name, tx, (schedules) => schedules.pause(name, reason, tx)),
    resume: (name, tx) => at(name, tx, (schedules) => schedules.resume(name, tx)),
    trigger: (name, tx) => at(name, tx, (schedules) => schedules.trigger(name, tx)),
    list: async (name) => {
      if (name !== undefined) {
        const found = await at(name, undefined, (schedules) => schedules.list(name));
        // It may have moved: then the map is older.
        if (found.length > 0) return found;
      }
      const found = await fleet.all(({ schedules }) => schedules.list(name));
      return found.flat().toSorted(byName);
    },
  };
}
