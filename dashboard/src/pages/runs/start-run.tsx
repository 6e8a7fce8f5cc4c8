import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { startDefinition } from "../../api/definitions.ts";
import { type StartBody, startRun } from "../../api/runs.ts";
import { workflowsQuery } from "../../api/workflows.ts";
import { parseJson } from "../../format/json-text.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog, textOf } from "../../parts/form-dialog.tsx";
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
        <Field label="Workflow">
          {(attributes) => (
            <input
              {...attributes}
              name="workflow"
              list="workflow-names"
              value={chosen}
              onChange={({ target }) => setTyped(target.value)}
              autoComplete="off"
              required
            />
          )}
        </Field>
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
            <Field label="Idempotency key" hint="A later start with the same key returns this run.">
              {(attributes) => <input {...attributes} name="idempotencyKey" autoComplete="off" />}
            </Field>
            <Field label="Version" hint="Empty for the latest that a worker has registered.">
              {(attributes) => (
                <input
                  {...attributes}
                  name="version"
                  type="number"
                  min="1"
                  value={version}
                  onChange={({ target }) => setVersion(target.value)}
                />
              )}
            </Field>
            <Field label="Delay" hint="As 30s, 5m or 7d.">
              {(attributes) => <input {...attributes} name="delay" />}
            </Field>
            <Field
              label="Deadline"
              hint="The run fails if it has not ended by then: 1h, or an instant."
            >
              {(attributes) => <input {...attributes} name="deadline" />}
            </Field>
            <Field label="Tags" hint='A JSON object, as {"customer": 7}.'>
              {(attributes) => <input {...attributes} name="tags" className="mono" />}
            </Field>
            <Field label="Priority" hint="Runs with a higher priority start first.">
              {(attributes) => <input {...attributes} name="priority" type="number" />}
            </Field>
          </div>
        </details>
      </FormDialog>
    </>
  );
}

function bodyOf(fields: FormData, input: unknown): StartBody {
  const tags = parseJson(textOf(fields, "tags") ?? "", "Tags");
  const version = textOf(fields, "version");
  const priority = textOf(fields, "priority");
  const idempotencyKey = textOf(fields, "idempotencyKey");
  const delay = textOf(fields, "delay");
  const deadline = textOf(fields, "deadline");
  return {
    ...(input === undefined ? {} : { input }),
    ...(tags === undefined ? {} : { tags: tags as Record<string, never> }),
    ...(version === undefined ? {} : { version: Number(version) }),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(delay === undefined ? {} : { delay }),
    ...(deadline === undefined ? {} : { deadline }),
  };
}
