/** The log of deliveries to urls. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";
import type { paths } from "./schema.ts";

export type Delivery =
  paths["/v1/deliveries"]["get"]["responses"][200]["content"]["application/json"]["deliveries"][number];

export type DeliveryDetails =
  paths["/v1/deliveries/{delivery_id}"]["get"]["responses"][200]["content"]["application/json"];

export type DeliveryStatus = Delivery["status"];

/** The answer of the target; empty if no server has logged it. */
export const outcomeOf = ({
  failure,
  statusCode,
}: Pick<Delivery, "failure" | "statusCode">): string =>
  failure ?? (statusCode === null ? "" : `status ${statusCode}`);

interface DeliveryFilter {
  readonly before?: string | undefined;
  readonly subscriptionId?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
}

const KEY = "deliveries";

export const deliveriesQuery = ({ before, subscriptionId, status }: DeliveryFilter, max: number) =>
  queryOptions({
    queryKey: [KEY, before, subscriptionId, status, max],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/v1/deliveries", {
          params: {
            query: {
              max,
              ...(before === undefined ? {} : { before }),
              ...(subscriptionId === undefined ? {} : { subscriptionId }),
              ...(status === undefined ? {} : { status }),
            },
          },
          signal,
        }),
      ),
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
