/** The fields of triggers on schedules and webhooks: when they are due, and how deliveries are verified. */
import type { Trigger } from "@oxbow/declared/check";
import type { ReactNode } from "react";
import { valueAt, withValueAt } from "../document/places.ts";
import { useStore } from "../state/use-editor.ts";
import { SelectField } from "./select-field.tsx";
import { setValue } from "./set-value.ts";
import { TextField } from "./text-field.tsx";

export function SourceFields({
  pointer,
  trigger,
}: {
  readonly pointer: string;
  readonly trigger: Trigger;
}): ReactNode {
  if (trigger.on === "schedule") return <ScheduleFields pointer={pointer} trigger={trigger} />;
  return trigger.on === "webhook" ? <WebhookFields pointer={pointer} trigger={trigger} /> : null;
}

/** A trigger on another event: without what only the former one had, and with a schedule that is complete. */
export function withEvent(trigger: Trigger, on: string): Trigger {
  const {
    cron: _cron,
    every: _every,
    time_zone: _zone,
    verify: _verify,
    identical: _identical,
    ...rest
  } = trigger;
  if (on === trigger.on) return trigger;
  if (on === "schedule") return { ...rest, on, cron: FIRST_CRON };
  return { ...rest, on };
}

const FIRST_CRON = "0 9 * * *";

/** A cron expression with its time zone, or an interval. */
function ScheduleFields({
  pointer,
  trigger,
}: {
  readonly pointer: string;
  readonly trigger: Trigger;
}): ReactNode {
  const store = useStore();
  const isInterval = trigger.every !== undefined && trigger.cron === undefined;
  const switchTo = (kind: string): void => {
    const [gone, given, first] =
      kind === "every"
        ? (["cron", "every", "1h"] as const)
        : (["every", "cron", FIRST_CRON] as const);
    store.endGesture();
    store.changeDocument((document) => {
      const without = withValueAt(document, `${pointer}/${gone}`, undefined);
      // An interval has no time zone.
      const rest =
        kind === "every" ? withValueAt(without, `${pointer}/time_zone`, undefined) : without;
      return valueAt(rest, `${pointer}/${given}`) === undefined
        ? withValueAt(rest, `${pointer}/${given}`, first)
        : rest;
    });
  };
  return (
    <>
      <SelectField
        label="Due"
        pointer={`${pointer}/due`}
        value={isInterval ? "every" : "cron"}
        options={[
          ["cron", "at times of a cron expression"],
          ["every", "at an interval"],
        ]}
        onChange={switchTo}
      />
      {isInterval ? (
        <TextField
          pointer={`${pointer}/every`}
          label="Interval"
          placeholder="1h"
          hint="Such as 30s, 15m, 1h or 1d."
        />
      ) : (
        <TextField
          pointer={`${pointer}/cron`}
          label="Cron expression"
          placeholder="0 9 * * 1-5"
          hint="Minute, hour, day, month, weekday."
        />
      )}
      {isInterval && trigger.time_zone === undefined ? null : (
        <TextField
          pointer={`${pointer}/time_zone`}
          label="Time zone"
          placeholder="UTC"
          hint="Such as Europe/Berlin."
          choices={TIME_ZONES}
        />
      )}
    </>
  );
}

const TIME_ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];

const VERIFICATIONS: readonly (readonly [verify: string, title: string])[] = [
  ["signature", "A signature of Standard Webhooks"],
  ["github", "The signature of GitHub"],
  ["token", "A bearer token"],
];

function WebhookFields({
  pointer,
  trigger,
}: {
  readonly pointer: string;
  readonly trigger: Trigger;
}): ReactNode {
  const store = useStore();
  const { verify = "signature" } = trigger;
  const isKnown = VERIFICATIONS.some(([each]) => each === verify);
  return (
    <>
      <SelectField
        label="Verified by"
        pointer={`${pointer}/verify`}
        value={verify}
        options={isKnown ? VERIFICATIONS : [...VERIFICATIONS, [verify, verify]]}
        onChange={(value) => {
          // The default isn't written.
          setValue(store, `${pointer}/verify`, value === "signature" ? undefined : value);
          store.endGesture();
        }}
      />
      <p className="oxe-hint">Its address and its secret exist once the workflow is published.</p>
    </>
  );
}
