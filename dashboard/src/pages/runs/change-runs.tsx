/** Changes all runs that match the filters, after it has shown how many they are. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type Change, changeRuns, type Conditions, countQuery } from "../../api/runs.ts";
import { InputField, SelectField } from "../../parts/field.tsx";
import { FormDialog, textOf } from "../../parts/form-dialog.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { useReport } from "../../parts/use-report.ts";

type Status = NonNullable<Conditions["status"]>[number];

interface Choice {
  readonly title: string;
  readonly past: string;
  /** Runs in other states are left as they are. */
  readonly of: readonly Status[];
  readonly paused?: boolean;
  readonly detail?: string;
}

const CHANGES: Readonly<Record<Change, Choice>> = {
  cancel: { title: "Cancel", past: "cancelled", of: ["running"], detail: "Reason" },
  pause: { title: "Pause", past: "paused", of: ["running"], paused: false, detail: "Reason" },
  resume: { title: "Resume", past: "resumed", of: ["running"], paused: true },
  retry: { title: "Retry", past: "retried", of: ["failed", "cancelled"] },
  rerun: {
    title: "Rerun",
    past: "started again",
    of: ["running", "completed", "failed", "cancelled"],
    detail: "First step to repeat (empty: from the beginning)",
  },
  delete: { title: "Delete", past: "deleted", of: ["completed", "failed", "cancelled"] },
};

const MOST_COUNTED = 100_000;

export function ChangeRuns({ conditions }: { conditions: Conditions }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Change…
      </button>
      {isOpen ? <ChangeDialog conditions={conditions} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function ChangeDialog({
  conditions,
  onClose,
}: {
  readonly conditions: Conditions;
  readonly onClose: () => void;
}): ReactNode {
  const [change, setChange] = useState<Change>("cancel");
  const [progress, setProgress] = useState<number>();
  const report = useReport(["runs"]);
  const choice = CHANGES[change];
  // The runs as they were when the dialog opened, not those that match by the time the button is pressed.
  const [given] = useState({ ...conditions, startedBefore: conditions.startedBefore ?? soon() });
  const affected = narrowed(given, choice);
  const { data, error } = useQuery({
    ...countQuery(affected ?? given, MOST_COUNTED),
    enabled: affected !== undefined,
  });
  const count = affected === undefined ? 0 : data?.count;
  const shown =
    count === undefined
      ? "…"
      : count === MOST_COUNTED
        ? "100,000 or more"
        : count.toLocaleString("en");

  const submit = async (fields: FormData): Promise<void> => {
    if (affected === undefined) return;
    const changed = await changeRuns(change, affected, textOf(fields, "detail"), setProgress);
    await report(
      `${changed.toLocaleString("en")} ${changed === 1 ? "run" : "runs"} ${choice.past}.`,
    );
  };
  return (
    <FormDialog
      title="Change the runs that match the filters"
      action={`${choice.title} ${shown} ${count === 1 ? "run" : "runs"}`}
      isDangerous={change === "cancel" || change === "delete"}
      isReady={count !== undefined}
      isOpen
      onClose={onClose}
      onSubmit={submit}
    >
      <SelectField
        label="Change"
        hint={`Applies to runs that are ${describe(choice)}.`}
        value={change}
        onChange={({ target }) => setChange(target.value as Change)}
      >
        {Object.entries(CHANGES).map(([value, { title }]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </SelectField>
      {choice.detail === undefined ? null : (
        <InputField label={choice.detail} name="detail" autoComplete="off" />
      )}
      <p role="status">
        {progress === undefined
          ? `${shown} ${count === 1 ? "run matches" : "runs match"}.`
          : `${progress.toLocaleString("en")} of ${shown} done.`}
      </p>
      {count === undefined && error !== null ? <ProblemBox error={error} /> : null}
    </FormDialog>
  );
}

/** The clocks of browser and database differ a little. */
const soon = (): string => new Date(Date.now() + 60_000).toISOString();

const describe = ({ of, paused }: Choice): string =>
  paused === undefined ? of.join(", ") : paused ? "paused" : "running and not paused";

/** The conditions, for the runs that the change applies to; undefined if it can't apply to any of them. */
function narrowed(given: Conditions, { of, paused }: Choice): Conditions | undefined {
  const status =
    given.status === undefined ? of : of.filter((one) => given.status?.includes(one) === true);
  if (status.length === 0) return undefined;
  if (paused !== undefined && given.paused !== undefined && given.paused !== paused)
    return undefined;
  return { ...given, status: [...status], ...(paused === undefined ? {} : { paused }) };
}
