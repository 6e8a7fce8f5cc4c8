/** The filters, the place in the list and the opened delivery, as the address has them. */
import type { DeliveryStatus } from "../../api/deliveries.ts";

export interface DeliveriesSearch {
  status?: DeliveryStatus | undefined;
  /** Id of the subscription. */
  subscription?: string | undefined;
  /** Id of the last delivery of the page before. */
  before?: string | undefined;
  /** Id of the delivery that is open. */
  delivery?: string | undefined;
}

export const STATUSES: readonly DeliveryStatus[] = ["waiting", "delivered", "failed"];
const IDS = ["subscription", "before", "delivery"] as const;

export function readDeliveriesSearch(given: Record<string, unknown>): DeliveriesSearch {
  const search: DeliveriesSearch = {};
  const status = STATUSES.find((one) => one === given["status"]);
  if (status !== undefined) search.status = status;
  for (const name of IDS) {
    const id = given[name];
    if (typeof id === "string" && /^\d{1,18}$/.test(id.trim())) search[name] = id.trim();
  }
  return search;
}
