/** The filters, the place in the list and the opened delivery, as the address has them. */
import type { DeliveryStatus } from "../../api/deliveries.ts";
import { id, oneOf, searchReader } from "../../format/search.ts";

export const STATUSES: readonly DeliveryStatus[] = ["waiting", "delivered", "failed"];

export const readDeliveriesSearch = searchReader({
  status: oneOf(STATUSES),
  /** Id of the subscription. */
  subscription: id,
  /** Id of the last delivery of the page before. */
  before: id,
  /** Id of the delivery that is open. */
  delivery: id,
});

export type DeliveriesSearch = ReturnType<typeof readDeliveriesSearch>;
