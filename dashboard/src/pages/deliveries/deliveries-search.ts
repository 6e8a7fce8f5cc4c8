/** The place in the list of dead letters, as the address has it. */
export interface DeliveriesSearch {
  /** Id of the last letter of the page before. */
  readonly after?: string | undefined;
}

export const readDeliveriesSearch = ({ after }: Record<string, unknown>): DeliveriesSearch =>
  typeof after === "string" && /^\d{1,18}$/.test(after) ? { after } : {};
