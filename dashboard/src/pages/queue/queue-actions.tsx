import type { ReactNode } from "react";
import { purgeQueue, type Queue, redriveQueue, sendMessage } from "../../api/queues.ts";
import { parseJson } from "../../format/json-text.ts";
import { InputField } from "../../parts/field.tsx";
import { FormButton, numberOf, textOf } from "../../parts/form-dialog.tsx";
import { JsonField } from "../../parts/json-field.tsx";
import { RedriveLimit } from "../../parts/redrive-limit.tsx";
import { useReport } from "../../parts/use-report.ts";
import { May } from "../../shell/may.tsx";

export function QueueActions({ queue }: { queue: Queue }): ReactNode {
  const { name, fifo, visible, inFlight, delayed } = queue;
  const report = useReport(["queues"]);
  return (
    <>
      <May scope="produce">
        <FormButton
          button="Send a message"
          look="primary"
          title={`Send a message to ${name}`}
          action="Send"
          onSubmit={async (fields) => {
            const message = parseJson(textOf(fields, "message") ?? "null", "The message");
            await sendMessage(name, {
              message,
              messageGroupId: textOf(fields, "group"),
              delaySeconds: numberOf(fields, "delay"),
            });
            await report(`A message was sent to ${name}.`);
          }}
        >
          <JsonField label="Message" name="message" rows={6} isRequired />
          {fifo ? (
            <InputField
              label="Group"
              hint="Messages of a group are delivered in order."
              name="group"
              autoComplete="off"
              required
            />
          ) : (
            <InputField label="Delay in seconds" name="delay" type="number" min="0" />
          )}
        </FormButton>
      </May>
      <May scope="admin">
        <FormButton
          button="Redrive…"
          title={`Redrive the dead letters in ${name}`}
          action="Redrive"
          onSubmit={async (fields) => {
            const { redriven } = await redriveQueue(name, Number(textOf(fields, "most")));
            await report(
              redriven === 0
                ? `${name} holds no dead letter of another queue.`
                : `${redriven.toLocaleString("en")} dead letters were sent back.`,
            );
          }}
        >
          <p>Sends dead letters back to the queues that they came from, oldest first.</p>
          <RedriveLimit />
        </FormButton>
        <FormButton
          button="Purge…"
          look="danger"
          title={`Delete all messages of ${name}?`}
          action="Delete all messages"
          isDangerous
          onSubmit={async (fields) => {
            if (textOf(fields, "name") !== name) {
              throw new Error(`Type ${name} to confirm.`);
            }
            const { purged } = await purgeQueue(name);
            await report(`${purged.toLocaleString("en")} messages were deleted.`);
          }}
        >
          <p>
            {visible.toLocaleString("en")} ready, {inFlight.toLocaleString("en")} in flight and{" "}
            {delayed.toLocaleString("en")} delayed messages are deleted. This can&apos;t be undone.
          </p>
          <InputField
            label="Name of the queue"
            hint={`Type ${name} to confirm.`}
            name="name"
            autoComplete="off"
            required
          />
        </FormButton>
      </May>
    </>
  );
}
