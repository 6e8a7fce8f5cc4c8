/** What a server tells the database about deliveries to urls: one method a SQL function. */
export interface DeliveryTransport {
  /** Takes it out of the queue. False: the receipt is dead, and somebody else sends it again. */
  succeeded(subscriptionId: string, receipt: string): Promise<boolean>;
  /**
   * @param disableAfterMs From the first of the failures in a row; undefined: never.
   * @returns Whether the subscription is disabled.
   */
  failed(
    subscriptionId: string,
    reason: string,
    disableAfterMs: number | undefined,
  ): Promise<boolean>;
}
