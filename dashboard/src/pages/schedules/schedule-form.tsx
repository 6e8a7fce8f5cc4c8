import { useQuery } from "@tanstack/react-query";
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
import { InputField, SelectField } from "../../parts/field.tsx";
import { FormDialog, textOf } from "../../parts/form-dialog.tsx";
import { JsonField } from "../../parts/json-field.tsx";
import { useReport } from "../../parts/use-report.ts";
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
  const report = useReport(schedulesQuery.queryKey);
  const { data } = useQuery(workflowsQuery);
  const [when, setWhen] = useState(schedule?.cron ?? String(schedule?.everySeconds ?? ""));
  const [timeZone, setTimeZone] = useState(schedule?.timeZone ?? localZone());
  const save = async (fields: FormData): Promise<void> => {
    const name = schedule?.name ?? textOf(fields, "name") ?? "";
    const { outcome } = await setSchedule(name, bodyOf(fields, schedule));
    await report(`Schedule "${name}" ${outcome}.`);
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
        <InputField label="Name" name="name" autoComplete="off" required />
      ) : null}
      <InputField
        label="Workflow"
        name="workflow"
        list="scheduled-workflows"
        defaultValue={schedule?.workflow ?? ""}
        autoComplete="off"
        required
      />
      <datalist id="scheduled-workflows">
        {(data?.workflows ?? []).map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <InputField
        label="When"
        hint="A cron expression of five fields, or six with seconds: 0 3 * * *. Or a number of seconds between ticks."
        name="when"
        value={when}
        onChange={({ target }) => setWhen(target.value)}
        autoComplete="off"
        required
      />
      <InputField
        label="Time zone of the expression"
        name="timeZone"
        value={timeZone}
        onChange={({ target }) => setTimeZone(target.value)}
        autoComplete="off"
      />
      <TickPreview when={when.trim()} timeZone={timeZone.trim()} />
      <JsonField
        label="Input"
        name="input"
        rows={4}
        initial={
          schedule === undefined || schedule.input === null ? "" : prettyJson(schedule.input)
        }
      />
      <SelectField
        label="While the run of an earlier tick is running"
        name="overlap"
        defaultValue={schedule?.overlap ?? "allow"}
      >
        <option value="allow">start another one</option>
        <option value="skip">skip the tick</option>
      </SelectField>
      <SelectField
        label="Ticks that were missed"
        name="catchUp"
        defaultValue={schedule?.catchUp ?? "latest"}
      >
        <option value="skip">skip them</option>
        <option value="latest">start a run for the latest</option>
        <option value="backfill">start a run for each</option>
      </SelectField>
    </FormDialog>
  );
}

/** The fields of the form; what the form does not show stays as it is. */
function bodyOf(fields: FormData, schedule: Schedule | undefined): ScheduleBody {
  const when = textOf(fields, "when") ?? "";
  return {
    workflow: textOf(fields, "workflow") ?? "",
    ...(/^\d+$/.test(when)
      ? { everySeconds: Number(when) }
      : { cron: when, timeZone: textOf(fields, "timeZone") }),
    input: parseJson(textOf(fields, "input") ?? "", "The input"),
    overlap: textOf(fields, "overlap") === "skip" ? "skip" : "allow",
    catchUp: catchUpOf(textOf(fields, "catchUp")),
    version: schedule?.version ?? undefined,
    tags: (schedule?.tags ?? undefined) as ScheduleBody["tags"],
    retentionDays: schedule?.retentionDays ?? undefined,
    catchUpLimit: schedule?.catchUpLimit ?? undefined,
    jitter: schedule?.jitterSeconds,
    grace: schedule?.graceSeconds,
  };
}

const catchUpOf = (text: string | undefined): NonNullable<ScheduleBody["catchUp"]> =>
  text === "skip" || text === "backfill" ? text : "latest";
