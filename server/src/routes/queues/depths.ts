/** The depth of queues over time. */
import { Type } from "typebox";
import { route, type Route } from "../../http/route.ts";
import { about, Closed, GivenInstant, Instant, Nullable } from "../../http/schemas.ts";
import { toInstant } from "../../http/values.ts";
import { Named } from "./shapes.ts";

const Messages = Nullable(
  Type.Integer({ description: "Null if nothing is known until the next depth." }),
);

const Depth = Type.Object({
  sampledAt: Instant,
  visible: Messages,
  inFlight: Messages,
  delayed: Messages,
  oldestAt: Nullable(
    about(
      Instant,
      "When the oldest message was sent; null if the queue was empty or nothing is known.",
    ),
  ),
  isEstimate: Type.Boolean({ description: "The queue was too large to count." }),
});

export const listQueueDepths: Route = route({
  method: "GET",
  path: "/v1/queues/:name/depths",
  scope: "read",
  summary: "List the depths of a queue over time",
  description:
    "Returns how many messages the queue has held in the last 24 hours, oldest first. A server looks once a minute, and keeps what has changed: a depth holds until the next one. One without numbers begins a time of which nothing is known, because no server looked, or so many queues were deeper that this one was not sampled.",
  params: Named,
  querystring: Closed({
    since: Type.Optional(
      about(
        GivenInstant,
        "The first depth may be older: it is that of this instant. Default: 24 hours ago.",
      ),
    ),
  }),
  response: { 200: Type.Object({ depths: Type.Array(Depth) }) },
  handler: async ({ params: { name }, query: { since } }, { transport: { queues } }) => {
    const depths = await queues.depths(
      name,
      since === undefined ? undefined : new Date(toInstant(since, "since")),
    );
    return { depths };
  },
});
