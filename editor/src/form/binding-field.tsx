/** A field of a form: its label, the switch of how it gets its value, the value, and its problems. */
import {
  type Document,
  type Json,
  type JsonObject,
  type JsonSchema,
  readBinding,
  readPath,
} from "@oxbow/declared/check";
import { type ReactNode, useId, useState } from "react";
import { valueAt } from "../document/places.ts";
import { FieldProblems, useProblemsAt } from "../problems/field-problems.tsx";
import { useEditor, useStore } from "../state/use-editor.ts";
import { ExpressionInput } from "./expression-input.tsx";
import { FieldContext, useFieldContext } from "./field-context.ts";
import { type AriaAttributes, type BindingFieldProps, NestedFieldContext } from "./nested-field.ts";
import { Prose } from "./prose.tsx";
import { useReadableAt } from "./readable.ts";
import { ReferenceInput } from "./reference-input.tsx";
import { ResourceInput } from "./resource-input.tsx";
import {
  firstMode,
  type Mode,
  modeOf,
  modesFor,
  propertiesOf,
  resourceOf,
  textOf,
  typesOf,
  widgetOf,
} from "./schema-facts.ts";
import { setValue } from "./set-value.ts";
import { ValueInput } from "./value-input.tsx";

const MODE_TEXTS: Readonly<Record<Mode, string>> = {
  value: "Value",
  path: "Reference",
  text: "Text with values",
  cel: "Expression",
  secret: "Secret",
  config: "Setting",
  resource: "Resource",
};

/** A member that is evaluated at the end of an iteration reads what exists there. */
export function BindingField(props: BindingFieldProps): ReactNode {
  const { catalog } = useStore();
  const context = useFieldContext();
  const { place } = context;
  if (catalog.resolve(props.schema)["scope"] !== "body" || place.kind !== "parameters") {
    return <Field {...props} />;
  }
  return (
    <FieldContext
      value={{ ...context, allowsSecrets: false, place: { kind: "body", loop: place.node } }}
    >
      <Field {...props} />
    </FieldContext>
  );
}

function Field({
  pointer,
  schema,
  label,
  isRequired,
  isWhole = false,
}: BindingFieldProps): ReactNode {
  const store = useStore();
  const { allowsBindings, allowsSecrets } = useFieldContext();
  const facts = store.catalog.resolve(schema);
  const value = useEditor(({ drawing }) => valueAt(drawing.document, pointer));
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const isItem = useEditor(({ drawing }) => isInList(drawing.document, pointer));
  /** Chosen, while the value doesn't show it yet. */
  const [choice, setChoice] = useState<{ readonly mode: Mode; readonly value: Json | undefined }>();
  const chosen = choice !== undefined && choice.value === value ? choice.mode : undefined;
  const isComposite =
    propertiesOf(facts) !== undefined && (value === undefined || modeOf(value) === "value");
  const problems = useProblemsAt(pointer);
  const id = useId();
  const isExpression = widgetOf(facts) === "expression";
  const mode = chosen ?? (value === undefined ? firstMode(facts) : modeOf(value));
  const isFixed =
    !allowsBindings || isExpression || facts["bindable"] === false || (isWhole && isComposite);
  const modes = isFixed ? [mode] : modesFor(facts, allowsSecrets);
  const description = textOf(facts, "description");

  /** An item without a value would be gone from its list. */
  const put = (next: Json | undefined, nextMode: Mode): void => {
    const kept = next === undefined && isItem ? "" : next;
    setChoice({ mode: nextMode, value: kept });
    setValue(store, pointer, kept);
  };
  const change = (next: Json | undefined): void => put(next, mode);
  const switchTo = (next: Mode): void => {
    store.endGesture();
    put(converted(value, next, facts), next);
    store.endGesture();
  };

  const describedBy = `${id}-description ${id}-problems`;
  const control = (
    <Control
      mode={mode}
      value={value}
      onChange={change}
      facts={facts}
      schema={schema}
      pointer={pointer}
      label={label}
      describedBy={describedBy}
      isExpression={isExpression}
    />
  );
  return (
    <div
      className={`oxe-field${problems.some(({ severity }) => severity === "error") ? " invalid" : ""}${isComposite ? " composite" : ""}`}
      data-pointer={pointer}
    >
      <div className="oxe-field-head">
        <span className="oxe-label">
          {label}
          {isRequired === true ? <span className="oxe-required"> required</span> : null}
        </span>
        {modes.length < 2 ? null : (
          <select
            className="oxe-mode"
            aria-label={`How ${label} gets its value`}
            value={mode}
            disabled={isReadOnly}
            onChange={({ target }) => switchTo(target.value as Mode)}
          >
            {modes.map((each) => (
              <option key={each} value={each}>
                {MODE_TEXTS[each]}
              </option>
            ))}
          </select>
        )}
      </div>
      <fieldset disabled={isReadOnly} className="oxe-control">
        {isComposite ? <legend className="oxe-only-read">{label}</legend> : null}
        <NestedFieldContext value={BindingField}>{control}</NestedFieldContext>
      </fieldset>
      {description === undefined ? (
        <span id={`${id}-description`} hidden />
      ) : (
        <p className="oxe-hint" id={`${id}-description`}>
          <Prose text={description} />
        </p>
      )}
      <FieldProblems id={`${id}-problems`} problems={problems} />
    </div>
  );
}

function isInList(document: Document, pointer: string): boolean {
  return Array.isArray(valueAt(document, pointer.slice(0, pointer.lastIndexOf("/"))));
}

interface ControlProps {
  readonly mode: Mode;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
  readonly facts: JsonObject;
  readonly schema: JsonSchema | undefined;
  readonly pointer: string;
  readonly label: string;
  readonly describedBy: string;
  readonly isExpression: boolean;
}

function Control(props: ControlProps): ReactNode {
  const { mode, value, onChange, facts, schema, pointer, label, describedBy, isExpression } = props;
  const store = useStore();
  const { place } = useFieldContext();
  const readable = useReadableAt(place);
  const problems = useProblemsAt(pointer);
  const isInvalid = problems.some(({ severity }) => severity === "error");
  const binding = readBinding(value);
  const aria = { "aria-label": label, "aria-describedby": describedBy, "aria-invalid": isInvalid };
  const expression = { label, describedBy, readable, problems };
  switch (mode) {
    case "path": {
      const path = binding?.kind === "path" ? binding.$path : "";
      return (
        <>
          <ReferenceInput
            aria={aria}
            value={path}
            place={place}
            wanted={schema}
            onChange={(next) =>
              onChange(next === "" ? undefined : { ...defaultOf(value), $path: next })
            }
          />
          {problems.some(({ code }) => code === "MAY_BE_MISSING") ||
          Object.keys(defaultOf(value)).length > 0 ? (
            <DefaultInput path={path} value={value} label={label} onChange={onChange} />
          ) : null}
        </>
      );
    }
    case "text":
      return (
        <ExpressionInput
          kind="text"
          {...expression}
          placeholder="Hello {{ input.name }}"
          value={binding?.kind === "text" ? binding.$text : ""}
          onChange={(text) => onChange(text === "" ? undefined : { $text: text })}
          onBlur={() => {
            const lone = loneExpression(value);
            if (lone === undefined || typesOf(facts)?.includes("string") === true) return;
            onChange(readPath(lone) === undefined ? { $cel: lone } : { $path: lone });
          }}
        />
      );
    case "cel":
      return (
        <ExpressionInput
          kind="cel"
          {...expression}
          placeholder="size(input.lines) * 2"
          value={binding?.kind === "cel" ? binding.$cel : ""}
          onChange={(text) => onChange(text === "" ? undefined : { $cel: text })}
        />
      );
    case "secret":
      return (
        <NameInput
          aria={aria}
          names={store.catalog.data.secrets}
          placeholder="Choose a secret"
          value={binding?.kind === "secret" ? binding.$secret : ""}
          onChange={(name) => onChange(name === "" ? undefined : { $secret: name })}
        />
      );
    case "config":
      return (
        <NameInput
          aria={aria}
          names={store.catalog.data.config?.map(({ name }) => name)}
          placeholder="Choose a setting"
          value={binding?.kind === "config" ? binding.$config : ""}
          onChange={(name) => onChange(name === "" ? undefined : { $config: name })}
        />
      );
    case "resource":
      return (
        <ResourceInput
          aria={aria}
          type={resourceOf(facts)}
          value={binding?.kind === "resource" ? binding.$resource : undefined}
          onChange={(resource) =>
            onChange(resource === undefined ? undefined : { $resource: { ...resource } })
          }
        />
      );
    case "value":
      return isExpression ? (
        <ExpressionInput
          kind="cel"
          {...expression}
          value={typeof value === "string" ? value : ""}
          onChange={(text) => onChange(text === "" ? undefined : text)}
        />
      ) : (
        <ValueInput
          aria={aria}
          value={binding?.kind === "literal" ? binding.$literal : value}
          onChange={onChange}
          facts={facts}
          pointer={pointer}
        />
      );
    default:
      return mode satisfies never;
  }
}

/** What a reference yields where it leads nowhere. */
function DefaultInput({
  path,
  value,
  label,
  onChange,
}: {
  readonly path: string;
  readonly value: Json | undefined;
  readonly label: string;
  readonly onChange: (value: Json) => void;
}): ReactNode {
  const given = defaultOf(value)["default"];
  return (
    <label className="oxe-default">
      Otherwise
      <input
        aria-label={`${label} otherwise`}
        placeholder="nothing given"
        value={given === undefined ? "" : typeof given === "string" ? given : JSON.stringify(given)}
        onChange={({ target }) =>
          onChange(
            target.value === ""
              ? { $path: path }
              : { $path: path, default: readLiteral(target.value) },
          )
        }
      />
    </label>
  );
}

function defaultOf(value: Json | undefined): JsonObject {
  const binding = readBinding(value);
  return binding?.kind === "path" && binding.default !== undefined
    ? { default: binding.default }
    : {};
}

/** Numbers, true, false and null are what they look like; the rest is text. */
function readLiteral(text: string): Json {
  return /^(?:-?\d+(?:\.\d+)?|true|false|null)$/.test(text) ? (JSON.parse(text) as Json) : text;
}

/** A name from a list, or typed without a list. */
function NameInput({
  names,
  value,
  onChange,
  aria,
  placeholder,
}: {
  readonly names: readonly string[] | undefined;
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly aria: AriaAttributes;
  readonly placeholder: string;
}): ReactNode {
  if (names === undefined) {
    return (
      <input
        {...aria}
        value={value}
        placeholder={placeholder}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  }
  return (
    <select {...aria} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{placeholder}</option>
      {[...new Set([...names, ...(value === "" ? [] : [value])])].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

/** The expression of a text that consists only of it. */
function loneExpression(value: Json | undefined): string | undefined {
  const binding = readBinding(value);
  if (binding?.kind !== "text") return undefined;
  const [, inner] = /^\{\{([^{}]*)\}\}$/.exec(binding.$text.trim()) ?? [];
  return inner === undefined || inner.trim() === "" ? undefined : inner.trim();
}

/** A value given another way, as far as it can be kept. */
function converted(value: Json | undefined, mode: Mode, facts: JsonObject): Json | undefined {
  const binding = readBinding(value);
  if (mode === "text") {
    if (typeof value === "string" && value !== "") return { $text: value };
    if (binding?.kind === "path") return { $text: `{{ ${binding.$path} }}` };
    if (binding?.kind === "cel") return { $text: `{{ ${binding.$cel} }}` };
  }
  if (mode === "cel") {
    if (binding?.kind === "path") return { $cel: binding.$path };
    if (value !== undefined && binding === undefined) return { $cel: JSON.stringify(value) };
    const lone = loneExpression(value);
    if (lone !== undefined) return { $cel: lone };
  }
  if (mode === "path") {
    const lone = binding?.kind === "cel" ? binding.$cel : loneExpression(value);
    if (lone !== undefined && readPath(lone) !== undefined) return { $path: lone };
  }
  if (mode === "value" && binding?.kind === "text" && !binding.$text.includes("{{")) {
    return typesOf(facts)?.includes("string") === false ? undefined : binding.$text;
  }
  return undefined;
}
