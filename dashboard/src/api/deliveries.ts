/** The log of deliveries to urls. */
import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf, QueryOf } from "./bodies.ts";
import { answer, api } from "./client.ts";

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
  queryOptions({
    queryKey: [KEY, filter, max],
    queryFn: ({ signal }) =>
      answer(api.GET("/v1/deliveries", { params: { query: { ...filter, max } }, signal })),
  });

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, id],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/v1/deliveries/{delivery_id}", {
          params: { path: { delivery_id: id } },
          signal,
        }),
      ),
  });

export const resendDeliveries = (ids: string[]) =>
  answer(api.POST("/v1/deliveries/resend", { body: { ids } }));

/** The queries that a resend changes. */
export const CHANGED_BY_RESEND = [[KEY], ["topic-dead-letters"]] as const;
