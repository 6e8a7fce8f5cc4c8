import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Run, rerunRun, type Step } from "../../api/runs.ts";
import { parseJson, prettyJson } from "../../format/json-text.ts";
import { InputField, SelectField } from "../../parts/field.tsx";
import { FormDialog, numberOf, textOf } from "../../parts/form-dialog.tsx";
import { JsonField } from "../../parts/json-field.tsx";
import { note } from "../../shell/notes.tsx";

/** Larger inputs are taken over as they are, rather than edited. */
const MOST_EDITED = 100_000;

/** Starts a new run with the journal of this one up to a step, or from the beginning. */
export function RerunDialog({
  run,
  steps,
  isOpen,
  onClose,
}: {
  readonly run: Run;
  readonly steps: readonly Step[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const navigate = useNavigate();
  const input = run.hasInput && isOpen ? prettyJson(run.input) : "";
  const isEditable = input.length <= MOST_EDITED;
  return (
    <FormDialog
      title={`Rerun run ${run.runId}`}
      action="Start the new run"
      isOpen={isOpen}
      onClose={onClose}
      onSubmit={async (fields) => {
        const edited = textOf(fields, "input") ?? "";
        const isChanged = isEditable && edited !== input;
        const { runId } = await rerunRun(run.runId, {
          fromStep: textOf(fields, "fromStep"),
          input: isChanged ? (parseJson(edited, "The input") ?? null) : undefined,
          version: numberOf(fields, "version"),
        });
        note(`Run ${runId} started. It repeats run ${run.runId}.`);
        await navigate({ to: "/runs/$runId", params: { runId } });
      }}
    >
      <p>A new run takes over the results of the steps before the first one to repeat.</p>
      <SelectField label="First step to repeat" name="fromStep">
        <option value="">from the beginning</option>
        {steps.map(({ position, name }) => (
          <option key={position} value={name}>
            {name}
          </option>
        ))}
      </SelectField>
      {isEditable ? (
        <JsonField label="Input" name="input" hint="JSON." rows={6} initial={input} />
      ) : (
        <p className="soft">The input is too large to be edited here, and is taken over.</p>
      )}
      <InputField
        label="Version"
        hint={`Empty for version ${run.version}.`}
        name="version"
        type="number"
        min="1"
      />
    </FormDialog>
  );
}
