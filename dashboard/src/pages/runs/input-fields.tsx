/** The input of a run that is started: a form if the workflow has a schema with fields, otherwise JSON. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type InputSchema, inputSchemaQuery } from "../../api/input-schema.ts";
import { parseJson } from "../../format/json-text.ts";
import { textOf } from "../../parts/form-dialog.tsx";
import { JsonField } from "../../parts/json-field.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { FormFields, hasFields, valuesIn } from "../../parts/schema-form.tsx";
import { useSettled } from "../../parts/use-settled.ts";

interface InputAsked {
  /** Until the server has answered, the schema before; undefined if the workflow has none. */
  readonly input: InputSchema | undefined;
  /** Whether it belongs to the name and version as typed: the route of a start depends on it. */
  readonly isKnown: boolean;
  readonly problem: ReactNode;
}

/** @param isWanted Whether it is shown: the server is not asked otherwise. */
export function useInputSchema(workflow: string, version: string, isWanted: boolean): InputAsked {
  const name = useSettled(workflow);
  const number = useSettled(version);
  const query = useQuery({
    ...inputSchemaQuery(name, number),
    enabled: isWanted,
    placeholderData: keepPreviousData,
  });
  const isTyping = name !== workflow || number !== version;
  return {
    input: query.data ?? undefined,
    isKnown: !isTyping && !query.isFetching && !query.isPlaceholderData && query.data !== undefined,
    problem:
      query.data !== undefined || query.error === null ? null : (
        <ProblemBox error={query.error} retry={() => void query.refetch()} />
      ),
  };
}

export function InputFields({ schema }: { readonly schema: unknown }): ReactNode {
  const [chosen, setChosen] = useState<"form" | "json">();
  const [text, setText] = useState("");
  // A schema that comes after someone has begun to type JSON must not take it away.
  const isJson = chosen === undefined ? text.trim() !== "" : chosen === "json";
  const canBeForm = hasFields(schema);
  const change = canBeForm ? (
    <button type="button" className="link" onClick={() => setChosen(isJson ? "form" : "json")}>
      {isJson ? "Fill in a form" : "Enter JSON"}
    </button>
  ) : null;
  if (isJson || !canBeForm) {
    return (
      <>
        <JsonField label="Input" name="input" rows={5} initial={text} onChange={setText} />
        {change}
      </>
    );
  }
  return (
    <fieldset>
      <legend>Input</legend>
      <FormFields key={JSON.stringify(schema)} form={schema} />
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
