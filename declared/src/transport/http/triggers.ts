/** Triggers of definitions, through the server. */
import {
  askingFor,
  jsonOf,
  READ,
  type ServerRequests,
  type Shown,
  toDates,
  withQuery,
} from "@oxbow/sdk/internal/rooms";
import type {
  DeclaredTriggerType,
  EventFacts,
  OnceHolder,
  TriggerEvent,
  TriggerTransport,
} from "../../protocol/triggers.ts";

const WORKER = "/v1/worker/triggers";

export function triggersOverHttp(server: ServerRequests): TriggerTransport {
  const askFor = askingFor(server);
  return {
    declare: ({ pool, types, replace }) =>
      askFor("changed", `${WORKER}/types`, {
        body: JSON.stringify({ pool, types, replace }),
        repeatable: true,
      }),

    types: async (conditions) => {
      const path = withQuery("/v1/trigger-types", { ...conditions });
      const types = await askFor<Shown<DeclaredTriggerType>[]>("types", path);
      return types.map((each) => toDates<DeclaredTriggerType>(each, ["declaredAt"]));
    },

    receive: ({ pool, max: maxEvents, leaseMs, waitMs, knownEpoch, signal }) =>
      server.ask(`${WORKER}/receive`, {
        body: JSON.stringify({ pool, maxEvents, leaseMs, waitSeconds: waitMs / 1_000, knownEpoch }),
        waitMs,
        signal,
        repeatable: true,
      }),

    commit: (pool, events, matches) =>
      askFor("held", `${WORKER}/commit`, {
        body: JSON.stringify({ pool, events, matches }),
        repeatable: true,
      }),

    events: async ({ name: definition, maxEvents: limit, ...conditions }) => {
      const path = withQuery("/v1/trigger-events", { definition, limit, ...conditions });
      const events = await askFor<Shown<TriggerEvent>[]>("events", path);
      return events.map((shown) => toDates<TriggerEvent>(shown, ["publishedAt", "evaluatedAt"]));
    },

    facts: async (name, eventId, version) => {
      const path = `${pathOf(name)}/trigger-events/${encodeURIComponent(eventId)}`;
      const shown = await server.ask<Shown<EventFacts>>(withQuery(path, { version }), READ);
      return toDates<EventFacts>(shown, ["publishedAt", "evaluatedAt"]);
    },

    hooks: (name) => askFor("hooks", `${pathOf(name)}/hooks`),

    once: async (name, key) => {
      const path = withQuery(`${pathOf(name)}/once`, { key });
      const holder = await askFor<Shown<OnceHolder> | null>("holder", path);
      return holder === null ? undefined : toDates<OnceHolder>(holder, ["startedAt"]);
    },

    forgetOnce: (name, key, tx) => {
      const body = jsonOf({}, { values: key });
      return askFor("changed", `${pathOf(name)}/once/forget`, { body }, tx);
    },
  };
}

const pathOf = (name: string): string => `/v1/definitions/${encodeURIComponent(name)}`;
