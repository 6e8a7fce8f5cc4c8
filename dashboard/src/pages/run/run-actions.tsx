/** What can be done to a run in its present state. */
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import {
  cancelRun,
  deleteRun,
  pauseRun,
  resumeRun,
  retryRun,
  type Run,
  runQuery,
  type Step,
  stepsQuery,
} from "../../api/runs.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { InputField } from "../../parts/field.tsx";
import { FormDialog, textOf } from "../../parts/form-dialog.tsx";
import { useMay } from "../../shell/may.tsx";
import { attempt, note } from "../../shell/notes.tsx";
import { RerunDialog } from "./rerun-dialog.tsx";
import { SignalDialog } from "./signal-dialog.tsx";

type Opened = "cancel" | "delete" | "pause" | "rerun" | "signal" | undefined;

export function RunActions({ run, steps }: { run: Run; steps: readonly Step[] }): ReactNode {
  const { runId, status, pausedAt } = run;
  const [opened, setOpened] = useState<Opened>();
  const queries = useQueryClient();
  const isRunning = status === "running";
  const may = useMay();
  const close = (): void => setOpened(undefined);

  const report = async (past: string, isChanged: boolean): Promise<void> => {
    note(
      isChanged ? `Run ${runId} ${past}.` : `Run ${runId} can't be ${past} in its current state.`,
    );
    await queries.invalidateQueries({ queryKey: runQuery(runId).queryKey });
    await queries.invalidateQueries({ queryKey: stepsQuery(runId).queryKey });
  };
  const act = (verb: string, past: string, ask: () => Promise<{ changed: boolean }>) =>
    attempt(`${verb} run ${runId}`, async () => report(past, (await ask()).changed));

  return (
    <>
      {isRunning && may("produce") ? (
        <button type="button" onClick={() => setOpened("signal")}>
          Signal…
        </button>
      ) : null}
      {isRunning && pausedAt === null && may("admin") ? (
        <button type="button" onClick={() => setOpened("pause")}>
          Pause…
        </button>
      ) : null}
      {isRunning && pausedAt !== null && may("admin") ? (
        <BusyButton look="primary" onPress={() => act("resume", "resumed", () => resumeRun(runId))}>
          Resume
        </BusyButton>
      ) : null}
      {(status === "failed" || status === "cancelled") && may("admin") ? (
        <BusyButton look="primary" onPress={() => act("retry", "retried", () => retryRun(runId))}>
          Retry
        </BusyButton>
      ) : null}
      {may("admin") ? (
        <button type="button" onClick={() => setOpened("rerun")}>
          Rerun…
        </button>
      ) : null}
      {isRunning && may("produce") ? (
        <button type="button" className="danger" onClick={() => setOpened("cancel")}>
          Cancel…
        </button>
      ) : null}
      {!isRunning && may("admin") ? (
        <button type="button" className="danger" onClick={() => setOpened("delete")}>
          Delete…
        </button>
      ) : null}

      <FormDialog
        title={`Delete run ${runId} of ${run.name}?`}
        action="Delete the run"
        isDangerous
        isOpen={opened === "delete"}
        onClose={close}
        onSubmit={async () => {
          const { changed } = await deleteRun(runId);
          if (changed) await queries.invalidateQueries({ queryKey: ["runs"] });
          await report("deleted", changed);
        }}
      >
        <p>
          Its input, output, journal and signals are deleted for good, with the runs that its steps
          invoked.
        </p>
      </FormDialog>
      <FormDialog
        title={`Pause run ${runId}?`}
        action="Pause the run"
        isOpen={opened === "pause"}
        onClose={close}
        onSubmit={async (fields) => {
          const { changed } = await pauseRun(runId, textOf(fields, "reason"));
          await report("paused", changed);
        }}
      >
        <p>Steps that are executing finish. No further step starts until the run is resumed.</p>
        <Reason />
      </FormDialog>
      <FormDialog
        title={`Cancel run ${runId} of ${run.name}?`}
        action="Cancel the run"
        isDangerous
        isOpen={opened === "cancel"}
        onClose={close}
        onSubmit={async (fields) => {
          const reason = textOf(fields, "reason");
          const { cancelled } = await cancelRun(runId, reason, fields.has("rollback"));
          await report("cancelled", cancelled);
        }}
      >
        <Reason />
        <label className="check">
          <input type="checkbox" name="rollback" /> Execute the rollbacks of completed steps first
        </label>
      </FormDialog>
      <SignalDialog run={run} isOpen={opened === "signal"} onClose={close} />
      <RerunDialog run={run} steps={steps} isOpen={opened === "rerun"} onClose={close} />
    </>
  );
}

const Reason = (): ReactNode => (
  <InputField
    label="Reason"
    hint="Shown with the run."
    name="reason"
    autoComplete="off"
    maxLength={1_000}
  />
);
