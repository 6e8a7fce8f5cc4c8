/** The place in the list of dead letters, as the address has it. */
export interface DeadLettersSearch {
  /** Id of the last letter of the page before. */
  readonly after?: string | undefined;
}

export const readDeadLettersSearch = ({ after }: Record<string, unknown>): DeadLettersSearch =>
  typeof after === "string" && /^\d{1,18}$/.test(after) ? { after } : {};
