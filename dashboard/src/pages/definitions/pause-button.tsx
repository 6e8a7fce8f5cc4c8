/** Pauses the starts and triggers of a definition, with a reason, or resumes them. Runs in progress continue. */
import { type ReactNode, useState } from "react";
import { type Definition, pauseDefinition, resumeDefinition } from "../../api/definitions.ts";
import { InputField } from "../../parts/field.tsx";
import { FormDialog, textOf } from "../../parts/form-dialog.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { useReport } from "../../parts/use-report.ts";

export function PauseButton({
  definition: { name, state },
  isQuiet = false,
}: {
  readonly definition: Pick<Definition, "name" | "state">;
  /** In a row of a table. */
  readonly isQuiet?: boolean;
}): ReactNode {
  const look = isQuiet ? "quiet" : undefined;
  const report = useReport(["definitions"]);
  const [isPausing, setPausing] = useState(false);
  const [error, setError] = useState<unknown>();
  if (state !== "published" && state !== "paused") return null;
  const resume = async (): Promise<void> => {
    try {
      await resumeDefinition(name);
      setError(undefined);
      await report(`Starts of "${name}" resumed.`);
    } catch (refusal) {
      setError(refusal);
    }
  };
  if (state === "paused") {
    return (
      <>
        <button
          type="button"
          className={look}
          aria-label={`Resume ${name}`}
          onClick={() => void resume()}
        >
          Resume
        </button>
        {error === undefined ? null : <ProblemBox error={error} />}
      </>
    );
  }
  return (
    <>
      <button
        type="button"
        className={look}
        aria-label={`Pause ${name}`}
        onClick={() => setPausing(true)}
      >
        Pause…
      </button>
      <FormDialog
        title={`Pause ${name}`}
        action="Pause the starts"
        isOpen={isPausing}
        onClose={() => setPausing(false)}
        onSubmit={async (fields) => {
          await pauseDefinition(name, textOf(fields, "reason"));
          await report(`Starts of "${name}" paused.`);
        }}
      >
        <p>
          Nothing starts until the definition is resumed: starts are refused, and events record that
          they would have started a run. Runs in progress continue.
        </p>
        <InputField label="Reason" name="reason" autoComplete="off" />
      </FormDialog>
    </>
  );
}
