/** The next ticks of a rule while it is typed, or why it can't be read. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "../../api/problem.ts";
import { ticksQuery } from "../../api/schedules.ts";
import { fullTimeIn, localZone } from "../../format/time.ts";
import { useSettled } from "../../parts/use-settled.ts";

const TICKS = 3;

interface Rule {
  /** A cron expression, or a number of seconds. */
  readonly when: string;
  readonly timeZone: string;
}

export function TickPreview({ when, timeZone }: Rule): ReactNode {
  const asked = { when: useSettled(when), timeZone: useSettled(timeZone) };
  return asked.when === "" || asked.timeZone === "" ? null : <Preview {...asked} />;
}

function Preview({ when, timeZone }: Rule): ReactNode {
  const isInterval = /^\d+$/.test(when);
  const rule = {
    cron: isInterval ? null : when,
    everySeconds: isInterval ? Number(when) : null,
    timeZone,
  };
  const { data, error } = useQuery({
    ...ticksQuery(rule, TICKS),
    refetchInterval: false,
  });
  const zone = isInterval ? "UTC" : timeZone;
  const shown = [...new Set([zone, localZone()])];
  return (
    <div className="hint" role="status">
      {error === null ? null : <p className="bad">{messageOf(error)}</p>}
      {error !== null || data === undefined
        ? null
        : shown.map((each) => (
            <p key={each}>
              Next in {each}:{" "}
              {data.ticks.map((tick) => fullTimeIn(new Date(tick), each)).join("; ") || "never"}
            </p>
          ))}
    </div>
  );
}
