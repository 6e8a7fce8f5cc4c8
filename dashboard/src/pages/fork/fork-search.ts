/** The place in the list of captured deliveries, as the address has it. */
export interface ForkSearch {
  /** Id of the last capture of the page before. */
  readonly after?: string | undefined;
}

export const readForkSearch = ({ after }: Record<string, unknown>): ForkSearch =>
  typeof after === "string" && /^\d{1,18}$/.test(after) ? { after } : {};
