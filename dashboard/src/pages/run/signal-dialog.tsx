import type { ReactNode } from "react";
import { type Run, signalRun } from "../../api/runs.ts";
import { parseJson } from "../../format/json-text.ts";
import { InputField } from "../../parts/field.tsx";
import { FormDialog, textOf } from "../../parts/form-dialog.tsx";
import { JsonField } from "../../parts/json-field.tsx";
import { note } from "../../shell/notes.tsx";

const OUTCOMES = {
  delivered: "The wait of the run received it.",
  buffered: "No wait matches yet: the run keeps it for a later one.",
  ignored: "The run has ended, or has received it before.",
  sent: "The run is in another shard, and receives it soon.",
} as const;

/** Sends an event to the run. Events that it waits for are offered. */
export function SignalDialog({
  run,
  isOpen,
  onClose,
}: {
  readonly run: Run;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const waits = (run.waits ?? []) as readonly { readonly event?: string }[];
  const events = [...new Set(waits.flatMap(({ event }) => event ?? []))];
  return (
    <FormDialog
      title={`Signal run ${run.runId}`}
      action="Send"
      isOpen={isOpen}
      onClose={onClose}
      onSubmit={async (fields) => {
        const event = textOf(fields, "event") ?? "";
        const payload = parseJson(textOf(fields, "payload") ?? "", "The payload");
        const { outcome } = await signalRun(run.runId, event, payload);
        note(`Event "${event}" ${outcome}. ${OUTCOMES[outcome]}`);
      }}
    >
      <InputField
        label="Event"
        name="event"
        list="events"
        defaultValue={events[0] ?? ""}
        autoComplete="off"
        required
      />
      <datalist id="events">
        {events.map((event) => (
          <option key={event} value={event} />
        ))}
      </datalist>
      <JsonField label="Payload" name="payload" rows={4} />
    </FormDialog>
  );
}
