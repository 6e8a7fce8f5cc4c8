/** The widget for a value that is written out, by its schema. */
import { type Json, jsonEquals, type JsonObject, type JsonSchema } from "@oxbow/declared/check";
import { type ReactNode, useState } from "react";
import { Icon, IconButton } from "../catalog/icon.tsx";
import { pointerTo } from "../document/places.ts";
import { useStore } from "../state/use-editor.ts";
import { AddMember } from "./add-member.tsx";
import { FieldsInput } from "./fields-input.tsx";
import { type AriaAttributes, useNestedField } from "./nested-field.ts";
import { propertiesOf, titleFor, typesOf, widgetOf } from "./schema-facts.ts";
import { SchemaFields } from "./schema-fields.tsx";

export interface ValueInputProps {
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
  readonly facts: JsonObject;
  readonly pointer: string;
  readonly aria: AriaAttributes;
}

export function ValueInput(props: ValueInputProps): ReactNode {
  const { value, onChange, facts, pointer, aria } = props;
  const { catalog } = useStore();
  const types = typesOf(facts);
  const widget = widgetOf(facts);
  if (widget === "schema") {
    return (
      <FieldsInput
        schema={value as JsonSchema | undefined}
        label={aria["aria-label"]}
        onChange={onChange}
      />
    );
  }
  const choices = widget === "workflow" ? workflowsOf(catalog.data.workflows) : choicesOf(facts);
  if (choices !== undefined) {
    return <Choice {...aria} choices={choices} value={value} facts={facts} onChange={onChange} />;
  }
  if (propertiesOf(facts) !== undefined) return <SchemaFields pointer={pointer} facts={facts} />;
  if (types?.includes("array") === true) return <ListInput {...props} />;
  if (types?.length === 1 && types[0] === "boolean") {
    const isChecked = (value ?? facts["default"]) === true;
    return (
      <label className="oxe-check">
        <input
          type="checkbox"
          {...aria}
          checked={isChecked}
          onChange={({ target }) => onChange(target.checked)}
        />
        {isChecked ? "Yes" : "No"}
      </label>
    );
  }
  if (types !== undefined && types.every((type) => type === "number" || type === "integer")) {
    return <NumberInput {...props} />;
  }
  if (types?.includes("string") === true) {
    const text =
      typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
    const change = (next: string): void => onChange(next === "" ? undefined : next);
    const placeholder = exampleOf(facts);
    return widget === "textarea" || widget === "code" ? (
      <textarea
        {...aria}
        rows={widget === "code" ? 8 : 3}
        className={widget === "code" ? "oxe-mono" : undefined}
        spellCheck={widget === "textarea"}
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => change(target.value)}
      />
    ) : (
      <input
        {...aria}
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => change(target.value)}
      />
    );
  }
  if (types?.length === 1 && types[0] === "object") return <MembersInput {...props} />;
  return <AnyInput {...props} />;
}

type Choices = readonly { readonly value: Json; readonly title: string }[];

function choicesOf({ enum: values, type }: JsonObject): Choices | undefined {
  if (!Array.isArray(values)) return undefined;
  const all = values as readonly Json[];
  return type === "boolean"
    ? undefined
    : all.map((value) => ({ value, title: titleOfChoice(textOfValue(value)) }));
}

function workflowsOf(
  workflows: readonly { readonly name: string; readonly title?: string }[] | undefined,
): Choices | undefined {
  return workflows?.map(({ name, title }) => ({ value: name, title: title ?? name }));
}

function Choice({
  choices,
  value,
  facts,
  onChange,
  ...aria
}: {
  readonly choices: Choices;
  readonly value: Json | undefined;
  readonly facts: JsonObject;
  readonly onChange: (value: Json | undefined) => void;
}): ReactNode {
  const { default: standard } = facts;
  const at = choices.findIndex((choice) => jsonEquals(choice.value, value));
  const isOther = value !== undefined && at === -1;
  const standardTitle = choices.find((choice) => jsonEquals(choice.value, standard))?.title;
  return (
    <select
      {...aria}
      value={isOther ? "other" : String(at)}
      onChange={({ target }) => onChange(choices[Number(target.value)]?.value)}
    >
      <option value="-1">
        {standardTitle === undefined ? "Choose…" : `${standardTitle} (default)`}
      </option>
      {choices.map((choice, index) => (
        <option key={choice.title} value={index}>
          {choice.title}
        </option>
      ))}
      {isOther ? <option value="other">{JSON.stringify(value)}</option> : null}
    </select>
  );
}

function NumberInput({ value, onChange, facts, aria }: ValueInputProps): ReactNode {
  const [draft, setDraft] = useState<string>();
  const { minimum, maximum, default: standard } = facts;
  return (
    <input
      type="number"
      {...aria}
      step={typesOf(facts)?.includes("number") === true ? "any" : 1}
      min={typeof minimum === "number" ? minimum : undefined}
      max={typeof maximum === "number" ? maximum : undefined}
      placeholder={typeof standard === "number" ? String(standard) : exampleOf(facts)}
      value={draft ?? (typeof value === "number" ? value : "")}
      onBlur={() => setDraft(undefined)}
      onChange={({ target }) => {
        setDraft(target.value);
        if (target.value === "") onChange(undefined);
        else if (!Number.isNaN(target.valueAsNumber)) onChange(target.valueAsNumber);
      }}
    />
  );
}

/** A list: each item is a separate field. */
function ListInput({ value, onChange, facts, pointer, aria }: ValueInputProps): ReactNode {
  const { catalog } = useStore();
  const NestedField = useNestedField();
  const items = Array.isArray(value) ? (value as readonly Json[]) : [];
  const schema = facts["items"] as JsonSchema | undefined;
  const itemFacts = catalog.resolve(schema);
  const singular = singularOf(aria["aria-label"]);
  return (
    <div className="oxe-list">
      {items.map((_, at) => (
        // Items have no identity besides their place.
        // oxlint-disable-next-line react/no-array-index-key
        <div className="oxe-list-item" key={at}>
          <NestedField
            pointer={pointerTo(pointer, at)}
            schema={schema}
            label={`${singular} ${at + 1}`}
          />
          <IconButton
            icon="close"
            size={14}
            label={`Remove ${singular} ${at + 1}`}
            title="Remove"
            onClick={() => onChange(items.filter((_each, index) => index !== at))}
          />
        </div>
      ))}
      <button
        type="button"
        className="oxe-add"
        onClick={() => onChange([...items, firstItem(itemFacts, items)])}
      >
        <Icon name="plus" size={14} /> Add {singular.toLowerCase()}
      </button>
    </div>
  );
}

const singularOf = (label: string): string =>
  label.endsWith("ies") ? label.replace(/ies$/, "y") : label.replace(/(?<=[a-z])s$/, "");

/** A new item: an object begins with its own name, since `id` often distinguishes items. */
function firstItem(facts: JsonObject, items: readonly Json[]): Json {
  const properties = propertiesOf(facts);
  if (properties !== undefined) {
    const hasId = properties.some(({ name }) => name === "id");
    if (!hasId) return {};
    const taken = new Set(items.map((item) => (item as { readonly id?: Json } | null)?.id));
    let n = items.length + 1;
    while (taken.has(`case_${n}`)) n += 1;
    return { id: `case_${n}` };
  }
  const types = typesOf(facts);
  if (types?.includes("number") === true || types?.includes("integer") === true) return 0;
  if (types?.length === 1 && types[0] === "boolean") return false;
  return types?.length === 1 && types[0] === "object" ? {} : "";
}

/** An object whose members have no names in the schema. */
function MembersInput({ value, onChange, pointer, aria, facts }: ValueInputProps): ReactNode {
  const NestedField = useNestedField();
  const members =
    typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  const rest = facts["additionalProperties"];
  return (
    <div className="oxe-list">
      {members.map((member) => (
        <div className="oxe-list-item" key={member}>
          <NestedField
            pointer={pointerTo(pointer, member)}
            schema={typeof rest === "object" ? (rest as JsonSchema) : undefined}
            label={member}
          />
          <IconButton
            icon="close"
            size={14}
            label={`Remove ${member}`}
            title="Remove"
            onClick={() => {
              const { [member]: _removed, ...others } = value as Record<string, Json>;
              onChange(Object.keys(others).length === 0 ? undefined : others);
            }}
          />
        </div>
      ))}
      <AddMember
        label={`New name in ${aria["aria-label"]}`}
        placeholder="Name"
        action="Add"
        isTaken={(name) => members.includes(name)}
        onAdd={(name) => onChange({ ...(value as JsonObject | undefined), [name]: "" })}
      />
    </div>
  );
}

/** Any value: text as it is, and JSON where it is some. */
function AnyInput({ value, onChange, aria }: ValueInputProps): ReactNode {
  const [draft, setDraft] = useState<string>();
  const shown =
    value === undefined
      ? ""
      : typeof value === "string"
        ? value
        : JSON.stringify(value, undefined, 1);
  return (
    <textarea
      className="oxe-mono"
      rows={Math.min(8, shown.split("\n").length)}
      {...aria}
      placeholder="Text, a number, or JSON"
      value={draft ?? shown}
      onBlur={() => setDraft(undefined)}
      onChange={({ target }) => {
        setDraft(target.value);
        onChange(anyValue(target.value));
      }}
    />
  );
}

function anyValue(text: string): Json | undefined {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Names in capitals stay as they are. */
const titleOfChoice = (text: string): string =>
  text === text.toUpperCase() ? text : titleFor(text, {});

const textOfValue = (value: Json): string =>
  typeof value === "string" ? value : JSON.stringify(value);

function exampleOf({ examples }: JsonObject): string | undefined {
  const first = Array.isArray(examples) ? (examples as readonly Json[])[0] : undefined;
  return first === undefined ? undefined : textOfValue(first);
}
