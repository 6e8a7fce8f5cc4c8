import { type ReactNode, useState } from "react";
import { publish, subscribe, type SubscribeBody, subscriptionsQuery } from "../../api/topics.ts";
import { parseContainment } from "../../format/containment.ts";
import { InputField, SelectField } from "../../parts/field.tsx";
import { FormButton, textOf } from "../../parts/form-dialog.tsx";
import { useReport } from "../../parts/use-report.ts";
import { May } from "../../shell/may.tsx";
import { note } from "../../shell/notes.tsx";
import { MessageFields, messageOf } from "./message-fields.tsx";
import { PublishTest } from "./publish-test.tsx";

/** Publishing a message, or testing what it would go to, and subscribing a target. */
export function TopicActions(): ReactNode {
  const [isTesting, setTesting] = useState(false);
  const report = useReport(subscriptionsQuery.queryKey);
  return (
    <>
      <May scope="produce">
        <FormButton
          button="Publish a message"
          look="primary"
          title="Publish a message"
          action="Publish"
          onSubmit={async (fields) => {
            const { topic, message } = messageOf(fields);
            const { targets } = await publish(topic, message);
            note(
              targets === 0
                ? `No subscription matches "${topic}".`
                : `The message went to ${targets} ${targets === 1 ? "subscription" : "subscriptions"}.`,
            );
          }}
        >
          <MessageFields rows={6} />
        </FormButton>
      </May>
      <button type="button" onClick={() => setTesting(true)}>
        Who would get this?
      </button>
      <PublishTest isOpen={isTesting} onClose={() => setTesting(false)} />
      <May scope="admin">
        <FormButton
          button="Subscribe…"
          title="Subscribe a queue, a url or a workflow"
          action="Subscribe"
          onSubmit={async (fields) => {
            const { subscriptionId } = await subscribe(
              textOf(fields, "pattern") ?? "",
              bodyOf(fields),
            );
            await report(`Subscription ${subscriptionId} was created.`);
          }}
        >
          <InputField
            label="Pattern"
            hint="Words separated by dots; * matches one word, # any number: order.*"
            name="pattern"
            autoComplete="off"
            required
          />
          <SelectField label="To" name="type">
            <option value="queue">a queue</option>
            <option value="http">a url</option>
            <option value="workflow">a workflow: each message starts a run</option>
          </SelectField>
          <InputField
            label="Target"
            hint="Name of the queue or the workflow, or a url."
            name="target"
            autoComplete="off"
            required
          />
          <InputField
            label="Filter"
            hint="Parts that a message must contain: country=NO. Empty for all."
            name="filter"
            autoComplete="off"
          />
        </FormButton>
      </May>
    </>
  );
}

function bodyOf(fields: FormData): SubscribeBody {
  const type = textOf(fields, "type");
  return {
    type: type === "http" || type === "workflow" ? type : "queue",
    target: textOf(fields, "target") ?? "",
    filter: parseContainment(textOf(fields, "filter") ?? "", "the filter"),
  };
}
