import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import {
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
  type Schedule,
  schedulesQuery,
  triggerSchedule,
} from "../../api/schedules.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { InputField } from "../../parts/field.tsx";
import { FormButton, FormDialog, textOf } from "../../parts/form-dialog.tsx";
import { useReport } from "../../parts/use-report.ts";
import { May } from "../../shell/may.tsx";
import { attempt, note } from "../../shell/notes.tsx";
import { ScheduleForm } from "./schedule-form.tsx";

type Opened = "edit" | "pause" | undefined;

export function ScheduleActions({ schedule }: { schedule: Schedule }): ReactNode {
  const { name, pausedAt } = schedule;
  const [opened, setOpened] = useState<Opened>();
  const report = useReport(schedulesQuery.queryKey);
  const navigate = useNavigate();
  const close = (): void => setOpened(undefined);
  return (
    <div className="buttons">
      <BusyButton
        look="quiet"
        label={`Run now: ${name}`}
        onPress={() =>
          attempt(`trigger schedule "${name}"`, async () => {
            const { runId } = await triggerSchedule(name);
            note(`Run ${runId} started.`);
            await navigate({ to: "/runs/$runId", params: { runId } });
          })
        }
      >
        Run now
      </BusyButton>
      <May scope="admin">
        {pausedAt === null ? (
          <button
            type="button"
            className="quiet"
            aria-label={`Pause ${name}`}
            onClick={() => setOpened("pause")}
          >
            Pause
          </button>
        ) : (
          <BusyButton
            look="quiet"
            label={`Resume ${name}`}
            onPress={() =>
              attempt(`resume schedule "${name}"`, async () => {
                await resumeSchedule(name);
                await report(`Schedule "${name}" resumed.`);
              })
            }
          >
            Resume
          </BusyButton>
        )}
        <button
          type="button"
          className="quiet"
          aria-label={`Edit ${name}`}
          onClick={() => setOpened("edit")}
        >
          Edit
        </button>
        <FormButton
          button="Delete"
          look="quiet"
          label={`Delete ${name}`}
          title={`Delete schedule ${name}?`}
          action="Delete the schedule"
          isDangerous
          onSubmit={async () => {
            await deleteSchedule(name);
            await report(`Schedule "${name}" deleted.`);
          }}
        >
          <p>It starts no further run. Its runs continue.</p>
        </FormButton>
      </May>
      {opened === "edit" ? <ScheduleForm schedule={schedule} isOpen onClose={close} /> : null}
      <FormDialog
        title={`Pause schedule ${name}?`}
        action="Pause the schedule"
        isOpen={opened === "pause"}
        onClose={close}
        onSubmit={async (fields) => {
          await pauseSchedule(name, textOf(fields, "reason"));
          await report(`Schedule "${name}" paused.`);
        }}
      >
        <p>It starts no run until it is resumed. Its runs continue.</p>
        <InputField label="Reason" name="reason" autoComplete="off" />
      </FormDialog>
    </div>
  );
}
