/** The input of a run that is started: a form if the workflow has a schema with fields, otherwise JSON. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type InputSchema, inputSchemaQuery } from "../../api/input-schema.ts";
import { parseJson } from "../../format/json-text.ts";
import { textOf } from "../../parts/form-dialog.tsx";
import { JsonField } from "../../parts/json-field.tsx";
import { FormFields, hasFields, valuesIn } from "../../parts/schema-form.tsx";

/** Undefined for a workflow without a schema, and while it is not known. */
export function useInputSchema(workflow: string): InputSchema | undefined {
  const { data } = useQuery(inputSchemaQuery(workflow));
  return data ?? undefined;
}

export function InputFields({ schema }: { readonly schema: unknown }): ReactNode {
  const [isJson, setJson] = useState(false);
  if (!hasFields(schema)) return <JsonField label="Input" name="input" rows={5} />;
  const change = (
    <button type="button" className="link" onClick={() => setJson(!isJson)}>
      {isJson ? "Fill in a form" : "Enter JSON"}
    </button>
  );
  if (isJson) {
    return (
      <>
        <JsonField label="Input" name="input" rows={8} />
        {change}
      </>
    );
  }
  return (
    <fieldset>
      <legend>Input</legend>
      <FormFields form={schema} />
      {change}
    </fieldset>
  );
}

/** What was entered in `InputFields`. */
export function inputIn(schema: unknown, fields: FormData): unknown {
  const text = textOf(fields, "input");
  const isJson = text !== undefined || fields.has("input");
  return isJson || !hasFields(schema)
    ? parseJson(text ?? "", "The input")
    : valuesIn(schema, fields);
}
