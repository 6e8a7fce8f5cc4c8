import { useNow } from "../../shell/use-now.ts";

const HOUR_MS = 3_600_000;
const STEP_MS = 60_000;

/** The instant an hour ago, to the minute, so that the same figures are asked for once a minute. */
export const useLastHour = (): string =>
  new Date(Math.floor((useNow() - HOUR_MS) / STEP_MS) * STEP_MS).toISOString();
