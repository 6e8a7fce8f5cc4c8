/** The log of deliveries to urls. */
import type { AnswerOf, QueryOf } from "./bodies.ts";
import { answer, api } from "./client.ts";
import { readQuery } from "./queries.ts";

export type Delivery = AnswerOf<"/v1/deliveries">["deliveries"][number];

export type DeliveryDetails = AnswerOf<"/v1/deliveries/{delivery_id}">;

export type DeliveryStatus = Delivery["status"];

/** The answer of the target; empty if no server has logged it. */
export const outcomeOf = ({
  failure,
  statusCode,
}: Pick<Delivery, "failure" | "statusCode">): string =>
  failure ?? (statusCode === null ? "" : `status ${statusCode}`);

type DeliveryFilter = Omit<QueryOf<"/v1/deliveries">, "max">;

const KEY = "deliveries";

export const deliveriesQuery = (filter: DeliveryFilter, max: number) =>
  readQuery([KEY, filter, max], "/v1/deliveries", { query: { ...filter, max } });

export const deliveryQuery = (id: string) =>
  readQuery([KEY, id], "/v1/deliveries/{delivery_id}", { path: { delivery_id: id } });

export const resendDeliveries = (ids: string[]) =>
  answer(api.POST("/v1/deliveries/resend", { body: { ids } }));

/** The queries that a resend changes. */
export const CHANGED_BY_RESEND = [[KEY], ["topic-dead-letters"]] as const;
