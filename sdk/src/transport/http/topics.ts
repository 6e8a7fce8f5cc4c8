/** Topics, through the server. */
import type { ServerRequests } from "../../protocol/rooms.ts";
import type {
  CapturedDelivery,
  DeliveryOutcome,
  LoggedDelivery,
  LoggedDeliveryDetails,
  Subscription,
  TopicDeadLetter,
  TopicTransport,
} from "../../protocol/topics.ts";
import { orUndefined } from "./problems.ts";
import { askingFor, jsonOf, READ, withQuery } from "./requests.ts";
import { type Shown, toDates } from "./shown.ts";

type ShownSubscription = Shown<Omit<Subscription, "id" | "targetType">> & {
  readonly subscriptionId: string;
  readonly type: Subscription["targetType"];
};

type ShownDetails = Omit<Shown<LoggedDeliveryDetails>, "earlierAttempts"> & {
  readonly earlierAttempts: readonly Shown<DeliveryOutcome>[];
};

const toSubscription = ({
  subscriptionId: id,
  type: targetType,
  ...shown
}: ShownSubscription): Subscription =>
  toDates<Subscription>({ id, targetType, ...shown }, ["createdAt", "failingSince", "disabledAt"]);

const DELIVERY_INSTANTS = ["publishedAt", "attemptedAt", "nextAttemptAt"] as const;

function toDetails({ earlierAttempts, ...shown }: ShownDetails): LoggedDeliveryDetails {
  const attempts = earlierAttempts.map((one) => toDates<DeliveryOutcome>(one, ["attemptedAt"]));
  return toDates<LoggedDeliveryDetails>({ ...shown, earlierAttempts: attempts }, DELIVERY_INSTANTS);
}

const SUBSCRIPTIONS = "/v1/subscriptions";
const DEAD_LETTERS = "/v1/topic-dead-letters";
const DELIVERIES = "/v1/deliveries";

export function topicsOverHttp(server: ServerRequests): TopicTransport {
  const askFor = askingFor(server);
  return {
    subscribe: ({ pattern, targetType: type, target, filter, options }, tx) => {
      const body = jsonOf({ type, target }, { filter, options });
      return askFor("subscriptionId", `${pathOf(pattern)}/subscriptions`, { body }, tx);
    },

    unsubscribe: (id, tx) => askFor("ended", `${SUBSCRIPTIONS}/${id}`, { method: "DELETE" }, tx),

    enable: (id) => askFor("enabled", `${SUBSCRIPTIONS}/${id}/enable`, {}),

    list: async (pattern) => {
      const path = pattern === undefined ? SUBSCRIPTIONS : `${pathOf(pattern)}/subscriptions`;
      return (await askFor<ShownSubscription[]>("subscriptions", path)).map(toSubscription);
    },

    get: async (id) => {
      const shown = await orUndefined(
        server.ask<ShownSubscription>(`${SUBSCRIPTIONS}/${id}`, READ),
        "SUBSCRIPTION_NOT_FOUND",
      );
      return shown && toSubscription(shown);
    },

    captured: async (after, max) => {
      const path = withQuery("/v1/captured-deliveries", { max, after });
      const found = await askFor<Shown<CapturedDelivery>[]>("deliveries", path);
      return found.map((one) => toDates<CapturedDelivery>(one, ["capturedAt"]));
    },

    deadLetters: async (request) => {
      const path = withQuery(DEAD_LETTERS, { ...request });
      const letters = await askFor<Shown<TopicDeadLetter>[]>("letters", path);
      return letters.map((one) => toDates<TopicDeadLetter>(one, ["deadLetteredAt"]));
    },

    redrive: ({ max: maxMessages, subscriptionId, ids }) =>
      askFor("redriven", `${DEAD_LETTERS}/redrive`, {
        body: JSON.stringify({ maxMessages, subscriptionId, ids }),
      }),

    targets: (topic, message) =>
      askFor("targets", `${pathOf(topic)}/targets`, {
        body: jsonOf({}, { message }),
        isRead: true,
      }),

    deleteDeadLetters: (ids) =>
      askFor("deleted", `${DEAD_LETTERS}/delete`, { body: JSON.stringify({ ids }) }),

    deliveries: async (request) => {
      const path = withQuery(DELIVERIES, { ...request });
      const found = await askFor<Shown<LoggedDelivery>[]>("deliveries", path);
      return found.map((one) => toDates<LoggedDelivery>(one, DELIVERY_INSTANTS));
    },

    delivery: async (id) => {
      const shown = await orUndefined(
        server.ask<ShownDetails>(`${DELIVERIES}/${id}`, READ),
        "DELIVERY_NOT_FOUND",
      );
      return shown && toDetails(shown);
    },

    resend: (ids) =>
      askFor("deliveries", `${DELIVERIES}/resend`, { body: JSON.stringify({ ids }) }),

    publish: ({ topic, message, headers }, tx) => {
      const body = jsonOf({}, { message, headers });
      return askFor("targets", `${pathOf(topic)}/messages`, { body }, tx);
    },
  };
}

const pathOf = (topic: string): string => `/v1/topics/${encodeURIComponent(topic)}`;
