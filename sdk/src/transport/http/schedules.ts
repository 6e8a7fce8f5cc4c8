/** Schedules, through the server. */
import type { ServerRequests } from "../../protocol/rooms.ts";
import type { ScheduleRecord, ScheduleTransport } from "../../protocol/schedules.ts";
import { askingFor, jsonOf, refuseTx, withQuery } from "./requests.ts";
import { type Shown, toDates, toSeconds } from "./shown.ts";

type Timeless = Omit<ScheduleRecord, "jitterMs" | "graceMs">;

interface ShownSchedule extends Shown<Timeless> {
  readonly jitterSeconds: number;
  readonly graceSeconds: number;
}

const INSTANTS = ["createdAt", "changedAt", "pausedAt", "nextTickAt", "lastTickAt"] as const;

const ROOT = "/v1/schedules";

export function schedulesOverHttp(server: ServerRequests): ScheduleTransport {
  const askFor = askingFor(server);
  return {
    create: ({ name, input, tags, jitterMs, graceMs, ...rest }, tx) => {
      const settings = { ...rest, jitter: toSeconds(jitterMs), grace: toSeconds(graceMs) };
      const body = jsonOf(settings, { input, tags });
      return askFor("outcome", pathOf(name), { method: "PUT", body }, tx);
    },

    delete: (name, tx) => askFor("deleted", pathOf(name), { method: "DELETE" }, tx),

    pause: (name, reason, tx) =>
      askFor("changed", withQuery(`${pathOf(name)}/pause`, { reason }), {}, tx),

    resume: (name, tx) => askFor("changed", `${pathOf(name)}/resume`, {}, tx),

    trigger: async (name, tx) => {
      refuseTx(tx);
      return server.ask(`${pathOf(name)}/trigger`);
    },

    list: async (name) => {
      const found = await askFor<ShownSchedule[]>("schedules", withQuery(ROOT, { name }));
      return found.map(toRecord);
    },
  };
}

const pathOf = (name: string): string => `${ROOT}/${encodeURIComponent(name)}`;

const toRecord = ({ jitterSeconds, graceSeconds, ...shown }: ShownSchedule): ScheduleRecord => ({
  ...toDates<Timeless>(shown, INSTANTS),
  jitterMs: jitterSeconds * 1_000,
  graceMs: graceSeconds * 1_000,
});
