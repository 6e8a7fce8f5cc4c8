import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import {
  type Schedule,
  type ScheduleBody,
  schedulesQuery,
  setSchedule,
} from "../../api/schedules.ts";
import { workflowsQuery } from "../../api/workflows.ts";
import { parseJson, prettyJson } from "../../format/json-text.ts";
import { localZone } from "../../format/time.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog, textOf } from "../../parts/form-dialog.tsx";
import { JsonField } from "../../parts/json-field.tsx";
import { note } from "../../shell/notes.tsx";
import { TickPreview } from "./tick-preview.tsx";

/** Creates a schedule, or changes the one that is given. */
export function ScheduleForm({
  schedule,
  isOpen,
  onClose,
}: {
  readonly schedule?: Schedule;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const queries = useQueryClient();
  const { data } = useQuery(workflowsQuery);
  const [when, setWhen] = useState(schedule?.cron ?? String(schedule?.everySeconds ?? ""));
  const [timeZone, setTimeZone] = useState(schedule?.timeZone ?? localZone());
  const save = async (fields: FormData): Promise<void> => {
    const name = schedule?.name ?? textOf(fields, "name") ?? "";
    const { outcome } = await setSchedule(name, bodyOf(fields, schedule));
    note(`Schedule "${name}" ${outcome}.`);
    await queries.invalidateQueries({ queryKey: schedulesQuery.queryKey });
  };
  return (
    <FormDialog
      title={schedule === undefined ? "Create a schedule" : `Edit schedule ${schedule.name}`}
      action={schedule === undefined ? "Create" : "Save"}
      isOpen={isOpen}
      onClose={onClose}
      onSubmit={save}
    >
      {schedule === undefined ? (
        <Field label="Name">
          {(attributes) => <input {...attributes} name="name" autoComplete="off" required />}
        </Field>
      ) : null}
      <Field label="Workflow">
        {(attributes) => (
          <input
            {...attributes}
            name="workflow"
            list="scheduled-workflows"
            defaultValue={schedule?.workflow ?? ""}
            autoComplete="off"
            required
          />
        )}
      </Field>
      <datalist id="scheduled-workflows">
        {(data?.workflows ?? []).map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field
        label="When"
        hint="A cron expression of five fields, or six with seconds: 0 3 * * *. Or a number of seconds between ticks."
      >
        {(attributes) => (
          <input
            {...attributes}
            name="when"
            value={when}
            onChange={({ target }) => setWhen(target.value)}
            autoComplete="off"
            required
          />
        )}
      </Field>
      <Field label="Time zone of the expression">
        {(attributes) => (
          <input
            {...attributes}
            name="timeZone"
            value={timeZone}
            onChange={({ target }) => setTimeZone(target.value)}
            autoComplete="off"
          />
        )}
      </Field>
      <TickPreview when={when.trim()} timeZone={timeZone.trim()} />
      <JsonField
        label="Input"
        name="input"
        rows={4}
        initial={
          schedule === undefined || schedule.input === null ? "" : prettyJson(schedule.input)
        }
      />
      <Field label="While the run of an earlier tick is running">
        {(attributes) => (
          <select {...attributes} name="overlap" defaultValue={schedule?.overlap ?? "allow"}>
            <option value="allow">start another one</option>
            <option value="skip">skip the tick</option>
          </select>
        )}
      </Field>
      <Field label="Ticks that were missed">
        {(attributes) => (
          <select {...attributes} name="catchUp" defaultValue={schedule?.catchUp ?? "latest"}>
            <option value="skip">skip them</option>
            <option value="latest">start a run for the latest</option>
            <option value="backfill">start a run for each</option>
          </select>
        )}
      </Field>
    </FormDialog>
  );
}

/** The fields of the form; what the form does not show stays as it is. */
function bodyOf(fields: FormData, schedule: Schedule | undefined): ScheduleBody {
  const when = textOf(fields, "when") ?? "";
  const input = parseJson(textOf(fields, "input") ?? "", "The input");
  const timeZone = textOf(fields, "timeZone");
  const isInterval = /^\d+$/.test(when);
  return {
    workflow: textOf(fields, "workflow") ?? "",
    ...(isInterval ? { everySeconds: Number(when) } : { cron: when }),
    ...(isInterval || timeZone === undefined ? {} : { timeZone }),
    ...(input === undefined ? {} : { input }),
    overlap: textOf(fields, "overlap") === "skip" ? "skip" : "allow",
    catchUp: catchUpOf(textOf(fields, "catchUp")),
    ...(schedule === undefined ? {} : hiddenPart(schedule)),
  };
}

const catchUpOf = (text: string | undefined): NonNullable<ScheduleBody["catchUp"]> =>
  text === "skip" || text === "backfill" ? text : "latest";

const hiddenPart = (schedule: Schedule): Partial<ScheduleBody> => ({
  ...(schedule.version === null ? {} : { version: schedule.version }),
  ...(schedule.tags === null ? {} : { tags: schedule.tags as Record<string, never> }),
  ...(schedule.retentionDays === null ? {} : { retentionDays: schedule.retentionDays }),
  ...(schedule.catchUpLimit === null ? {} : { catchUpLimit: schedule.catchUpLimit }),
  jitter: schedule.jitterSeconds,
  grace: schedule.graceSeconds,
});
