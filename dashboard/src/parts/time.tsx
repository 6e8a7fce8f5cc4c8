import type { ReactNode } from "react";
import { bothTimes, fullTime, relativeTime } from "../format/time.ts";
import { usePreferences } from "../shell/preferences.ts";
import { useNow } from "../shell/use-now.ts";

/** An instant, relative to now; the tooltip shows it in full, in both zones. Nothing for null. */
export function Time({ at }: { at: string | null | undefined }): ReactNode {
  const now = useNow();
  if (at === null || at === undefined) return null;
  const date = new Date(at);
  return (
    <time dateTime={at} title={bothTimes(date)}>
      {relativeTime(date, now)}
    </time>
  );
}

/** An instant in full, in the chosen zone. */
export function FullTime({ at }: { at: string | null | undefined }): ReactNode {
  const { zone } = usePreferences();
  if (at === null || at === undefined) return null;
  const date = new Date(at);
  return (
    <time dateTime={at} title={bothTimes(date)}>
      {fullTime(date, zone)}
    </time>
  );
}
