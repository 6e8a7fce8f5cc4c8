/** The messages of a queue that are shown, as the address has them. */
export interface PeekSearch {
  /** Id of the last message of the page before. */
  readonly after?: string | undefined;
  /** A condition that the messages must contain. */
  readonly matching?: string | undefined;
}

export function readPeekSearch({ after, matching }: Record<string, unknown>): PeekSearch {
  return {
    ...(typeof after === "string" && /^\d{1,18}$/.test(after) ? { after } : {}),
    ...(typeof matching === "string" && matching !== "" ? { matching } : {}),
  };
}
