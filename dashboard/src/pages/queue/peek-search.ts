/** The messages of a queue that are shown, and the hours of its charts, as the address has them. */
export const CHART_HOURS = ["1", "6", "24"] as const;

export interface PeekSearch {
  /** Id of the last message of the page before. */
  readonly after?: string | undefined;
  /** A condition that the messages must contain. */
  readonly matching?: string | undefined;
  /** How far back the charts go. Default: one hour. */
  readonly hours?: (typeof CHART_HOURS)[number] | undefined;
}

export function readPeekSearch({ after, matching, hours }: Record<string, unknown>): PeekSearch {
  const known = CHART_HOURS.find((one) => one === hours);
  return {
    ...(typeof after === "string" && /^\d{1,18}$/.test(after) ? { after } : {}),
    ...(typeof matching === "string" && matching !== "" ? { matching } : {}),
    ...(known === undefined || known === "1" ? {} : { hours: known }),
  };
}
