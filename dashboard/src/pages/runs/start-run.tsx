import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { startDefinition } from "../../api/definitions.ts";
import { type StartBody, startRun } from "../../api/runs.ts";
import { workflowsQuery } from "../../api/workflows.ts";
import { parseJson } from "../../format/json-text.ts";
import { InputField } from "../../parts/field.tsx";
import { FormDialog, numberOf, textOf } from "../../parts/form-dialog.tsx";
import { note } from "../../shell/notes.tsx";
import { inputIn, InputFields, useInputSchema } from "./input-fields.tsx";

/** @param workflow The one that the page shows. */
export function StartRun({ workflow }: { workflow: string | undefined }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState<string>();
  const [version, setVersion] = useState("");
  const { data } = useQuery(workflowsQuery);
  const navigate = useNavigate();
  const chosen = typed ?? workflow ?? "";
  const { input, isKnown, problem } = useInputSchema(chosen, version, isOpen);
  const start = async (fields: FormData): Promise<void> => {
    const name = textOf(fields, "workflow");
    if (name === undefined) return;
    const body = bodyOf(fields, inputIn(input?.schema, fields));
    const startIt = input?.isDefinition === true ? startDefinition : startRun;
    const { runId, created } = await startIt(name, body);
    note(created ? `Run ${runId} of ${name} started.` : `Run ${runId} has this key already.`);
    await navigate({ to: "/runs/$runId", params: { runId } });
  };
  return (
    <>
      <button type="button" className="primary" onClick={() => setOpen(true)}>
        Start a run
      </button>
      <FormDialog
        title="Start a run"
        action="Start"
        isReady={isKnown}
        isOpen={isOpen}
        onClose={() => {
          setOpen(false);
          setTyped(undefined);
          setVersion("");
        }}
        onSubmit={start}
      >
        <InputField
          label="Workflow"
          name="workflow"
          list="workflow-names"
          value={chosen}
          onChange={({ target }) => setTyped(target.value)}
          autoComplete="off"
          required
        />
        <datalist id="workflow-names">
          {(data?.workflows ?? []).map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <InputFields schema={input?.schema} />
        {problem}
        <details>
          <summary>More</summary>
          <div className="fields">
            <InputField
              label="Idempotency key"
              hint="A later start with the same key returns this run."
              name="idempotencyKey"
              autoComplete="off"
            />
            <InputField
              label="Version"
              hint="Empty for the latest that a worker has registered."
              name="version"
              type="number"
              min="1"
              value={version}
              onChange={({ target }) => setVersion(target.value)}
            />
            <InputField label="Delay" hint="As 30s, 5m or 7d." name="delay" />
            <InputField
              label="Deadline"
              hint="The run fails if it has not ended by then: 1h, or an instant."
              name="deadline"
            />
            <InputField
              label="Tags"
              hint='A JSON object, as {"customer": 7}.'
              name="tags"
              className="mono"
            />
            <InputField
              label="Priority"
              hint="Runs with a higher priority start first."
              name="priority"
              type="number"
            />
          </div>
        </details>
      </FormDialog>
    </>
  );
}

const bodyOf = (fields: FormData, input: unknown): StartBody => ({
  input,
  tags: parseJson(textOf(fields, "tags") ?? "", "Tags") as StartBody["tags"],
  version: numberOf(fields, "version"),
  priority: numberOf(fields, "priority"),
  idempotencyKey: textOf(fields, "idempotencyKey"),
  delay: textOf(fields, "delay"),
  deadline: textOf(fields, "deadline"),
});
