/** Events that triggers were evaluated for, and what they came to. */
import { canonicalJson } from "@oxbow/declared/check";
import { Type } from "typebox";
import { route, type Route } from "../../http/route.ts";
import { Closed, Nullable, Version } from "../../http/schemas.ts";
import { tools } from "../definitions/checker.ts";
import { Named } from "../definitions/shapes.ts";
import {
  EventId,
  EventState,
  ShownEvent,
  ShownExplanation,
  ShownFacts,
  ShownHolder,
} from "./shapes.ts";

export const listTriggerEvents: Route = route({
  method: "GET",
  path: "/v1/trigger-events",
  scope: "read",
  summary: "List events of triggers",
  description:
    "Returns events that triggers were evaluated for, the newest first. They are kept for 7 days, failed ones for 30.",
  querystring: Closed({
    definition: Type.Optional(
      Type.String({
        maxLength: 43,
        description: "Events that reach its triggers, whether they match or not.",
      }),
    ),
    topic: Type.Optional(Type.String({ maxLength: 255 })),
    state: Type.Optional(EventState),
    before: Type.Optional(EventId),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 50 })),
  }),
  response: { 200: Type.Object({ events: Type.Array(ShownEvent) }) },
  handler: async ({ query }, { declared: { triggers } }) => {
    const { definition, topic, state, before, limit = 50 } = query;
    const found = await triggers.events({
      name: definition,
      topic,
      state,
      before,
      maxEvents: limit,
    });
    return { events: found };
  },
});

export const explainTriggerEvent: Route = route({
  method: "POST",
  path: "/v1/definitions/:name/explain",
  scope: "read",
  summary: "Explain what an event came to",
  description:
    "Returns for each trigger whether the event started a run, and if not, why: its topic, what the guard and the scope require of the message, each condition of the guard with the values that it read, and the run that holds the values of once_for.",
  params: Named,
  body: Closed({ eventId: EventId, version: Type.Optional(Version) }),
  response: { 200: ShownExplanation },
  handler: async ({ params: { name }, body }, { declared: { triggers } }) => {
    const facts = await triggers.facts(name, body.eventId, body.version);
    return tools.explain(facts, (key) => triggers.once(name, key));
  },
});

export const getTriggerFacts: Route = route({
  method: "GET",
  path: "/v1/definitions/:name/trigger-events/:eventId",
  scope: "read",
  summary: "Get what decides about an event",
  description:
    "Returns an event with the triggers of a definition, for clients that evaluate guards themselves.",
  params: Type.Object({ ...Named.properties, eventId: EventId }),
  querystring: Closed({ version: Type.Optional(Version) }),
  response: { 200: ShownFacts },
  handler: async ({ params: { name, eventId }, query }, { declared: { triggers } }) => {
    return triggers.facts(name, eventId, query.version);
  },
});

export const getOnceHolder: Route = route({
  method: "GET",
  path: "/v1/definitions/:name/once",
  scope: "read",
  summary: "Get the run of values of once_for",
  params: Named,
  querystring: Closed({ key: Type.String({ description: "The values, as canonical JSON." }) }),
  response: { 200: Type.Object({ holder: Nullable(ShownHolder) }) },
  handler: async ({ params: { name }, query }, { declared: { triggers } }) => {
    return { holder: (await triggers.once(name, query.key)) ?? null };
  },
});

export const forgetOnce: Route = route({
  method: "POST",
  path: "/v1/definitions/:name/once/forget",
  scope: "publish",
  isAudited: true,
  summary: "Forget values of once_for",
  description:
    "The next event that has these values starts another run. changed is false if no event has had them.",
  params: Named,
  body: Closed({
    values: Type.Array(Type.Unknown(), {
      minItems: 1,
      maxItems: 10,
      description: "In the order of once_for.",
    }),
  }),
  response: { 200: Type.Object({ changed: Type.Boolean() }) },
  handler: async ({ params: { name }, body }, { declared: { triggers } }) => ({
    changed: await triggers.forgetOnce(name, canonicalJson(body.values)),
  }),
});
