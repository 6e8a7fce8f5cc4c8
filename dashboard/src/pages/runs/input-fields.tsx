/** The input of a run that is started: a form if the workflow has a schema with fields, otherwise JSON. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type InputSchema, inputSchemaQuery } from "../../api/input-schema.ts";
import { messageOf } from "../../api/problem.ts";
import { parseJson, prettyJson } from "../../format/json-text.ts";
import { textOf } from "../../parts/form-dialog.tsx";
import { JsonField } from "../../parts/json-field.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { FormFields } from "../../parts/schema-form/form-fields.tsx";
import { misfitOf, valuesIn } from "../../parts/schema-form/form-values.ts";
import { hasFields } from "../../parts/schema-form/properties.ts";
import { useSettled } from "../../parts/use-settled.ts";

interface InputAsked {
  /** Until the server has answered, the schema before; undefined for a workflow without a schema. */
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

/** Each of the two ways to enter the input begins with what was entered in the other one. */
export function InputFields({ schema }: { readonly schema: unknown }): ReactNode {
  const [chosen, setChosen] = useState<"form" | "json">();
  const [text, setText] = useState("");
  /** The JSON that the fields begin with, and how often they have begun. */
  const [begun, setBegun] = useState({ values: undefined as unknown, count: 0 });
  /** The JSON of the fields as they were left; they are kept, also with what JSON doesn't hold. */
  const [left, setLeft] = useState("");
  const [problem, setProblem] = useState<string>();
  const key = JSON.stringify(schema);
  const canBeForm = hasFields(schema);
  // A schema that comes after someone has begun to type JSON must not take it away.
  const isJson = !canBeForm || (chosen ?? (text.trim() === "" ? "form" : "json")) === "json";

  const toJson = (fields: FormData): void => {
    const values = prettyJson(valuesIn(schema, fields));
    setText(values);
    setLeft(key + values);
    setChosen("json");
  };
  const toForm = (): void => {
    if (key + text !== left) {
      const values = parseJson(text, "The input");
      const misfit = values === undefined ? undefined : misfitOf(schema, values);
      if (misfit !== undefined) throw new Error(misfit);
      setBegun({ values, count: begun.count + 1 });
    }
    setChosen("form");
  };
  const change = (form: HTMLFormElement | null): void => {
    if (form === null) return;
    try {
      if (isJson) toForm();
      else toJson(new FormData(form));
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      {canBeForm ? (
        // Disabled fields are neither sent nor required.
        <fieldset hidden={isJson} disabled={isJson}>
          <legend>Input</legend>
          <FormFields key={`${begun.count} ${key}`} form={schema} values={begun.values} />
        </fieldset>
      ) : null}
      {isJson ? (
        <JsonField label="Input" name="input" rows={5} initial={text} onChange={setText} />
      ) : null}
      {problem === undefined ? null : (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {canBeForm ? (
        <p>
          <button
            type="button"
            className="link"
            onClick={({ currentTarget }) => change(currentTarget.form)}
          >
            {isJson ? "Fill in a form" : "Enter JSON"}
          </button>
        </p>
      ) : null}
    </>
  );
}

/** The input that was entered in `InputFields`. */
export function inputIn(schema: unknown, fields: FormData): unknown {
  const text = textOf(fields, "input");
  const isJson = text !== undefined || fields.has("input");
  return isJson || !hasFields(schema)
    ? parseJson(text ?? "", "The input")
    : valuesIn(schema, fields);
}
