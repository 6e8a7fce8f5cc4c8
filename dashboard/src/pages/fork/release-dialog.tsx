import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type ReleaseBody, releaseIncarnation } from "../../api/fork.ts";
import { InputField, SelectField } from "../../parts/field.tsx";
import { FormButton, textOf } from "../../parts/form-dialog.tsx";
import { note } from "../../shell/notes.tsx";

/** Releases a held copy; as the live database only after the word was typed. */
export function ReleaseDialog(): ReactNode {
  const [as, setAs] = useState<ReleaseBody["as"]>("sandbox");
  const queries = useQueryClient();
  const release = async (fields: FormData): Promise<void> => {
    if (as === "live" && textOf(fields, "confirmation") !== "live") {
      throw new Error("Type live to confirm.");
    }
    const { released, leases } = await releaseIncarnation({
      as,
      timers: timersOf(textOf(fields, "timers")),
    });
    note(
      released
        ? `Released as ${as === "live" ? "the live database" : "a sandbox"}. Runs that are received again: ${leases}.`
        : "The copy had been released before.",
    );
    await queries.invalidateQueries();
  };
  return (
    <FormButton
      button="Release…"
      look="primary"
      title="Release this copy"
      action={as === "live" ? "Release as live" : "Release as a sandbox"}
      isDangerous={as === "live"}
      onSubmit={release}
    >
      <SelectField
        label="As"
        name="as"
        value={as}
        onChange={({ target }) => setAs(target.value === "live" ? "live" : "sandbox")}
      >
        <option value="sandbox">a sandbox: deliveries to urls are captured</option>
        <option value="live">the live database: deliveries are sent</option>
      </SelectField>
      <SelectField
        label="Timers"
        hint="Sleeps, timeouts, retries, delayed starts and schedules."
        name="timers"
      >
        <option value="fire">fire at their time, or now if it has passed</option>
        <option value="shift">shift by the time since the copy</option>
        <option value="hold">hold: their runs and all schedules are paused</option>
      </SelectField>
      {as === "live" ? (
        <InputField
          label="Confirmation"
          hint="If the source still runs, both send the same deliveries. Type live to confirm."
          name="confirmation"
          autoComplete="off"
          required
        />
      ) : null}
    </FormButton>
  );
}

const timersOf = (text: string | undefined): NonNullable<ReleaseBody["timers"]> =>
  text === "shift" || text === "hold" ? text : "fire";
