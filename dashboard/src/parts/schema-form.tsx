/** The fields of a form, from the JSON Schema of an object, and the values that a person fills in. */
import type { ReactNode } from "react";
import { parseJson } from "../format/json-text.ts";
import { Field } from "./field.tsx";
import { textOf } from "./form-dialog.tsx";
import { JsonField } from "./json-field.tsx";

interface Property {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly default?: unknown;
  readonly enum?: unknown;
  readonly widget?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly properties?: unknown;
  readonly required?: unknown;
  readonly additionalProperties?: unknown;
  readonly patternProperties?: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function propertiesOf(form: unknown): readonly (readonly [string, Property])[] {
  if (!isObject(form) || !isObject(form["properties"])) return [];
  const { properties } = form;
  return namesInOrder(properties, form).map((name) => {
    const property = properties[name];
    return [name, isObject(property) ? property : {}];
  });
}

/** The author's order, which JSON objects in a database don't keep, but lists do: what is required follows, then the rest. */
function namesInOrder(
  properties: Readonly<Record<string, unknown>>,
  { order, required }: Readonly<Record<string, unknown>>,
): readonly string[] {
  const names = Object.keys(properties);
  const listed = [order, required].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  );
  const first = listed.filter((name): name is string => names.includes(name as string));
  return [...new Set([...first, ...names])];
}

const isRequired = (form: unknown, name: string): boolean =>
  isObject(form) && Array.isArray(form["required"]) && form["required"].includes(name);

const textFor = (value: unknown): string =>
  value === undefined ? "" : isText(value) ? value : JSON.stringify(value);

const isText = (value: unknown): value is string => typeof value === "string";

/**
 * @param path Of the object that the form is for, if it is part of another one.
 * @param isNeeded Whether that object must be given: a browser doesn't ask for fields of one that may be left empty.
 */
export const FormFields = ({
  form,
  path = "field",
  isNeeded = true,
}: {
  readonly form: unknown;
  readonly path?: string;
  readonly isNeeded?: boolean;
}): ReactNode =>
  propertiesOf(form).map(([name, property], index) => {
    const label = isText(property.title) ? property.title : name;
    const own = `${path}-${index}`;
    const isOwnNeeded = isNeeded && isRequired(form, name);
    return isPart(property) ? (
      <fieldset key={name}>
        <legend>{label}</legend>
        {isText(property.description) ? <p className="hint">{property.description}</p> : null}
        <FormFields form={property} path={own} isNeeded={isOwnNeeded} />
      </fieldset>
    ) : (
      <FormField key={name} name={own} label={label} property={property} isRequired={isOwnNeeded} />
    );
  });

/** Whether an object has a field for each of its properties. */
export const hasFields = (schema: unknown): boolean =>
  isObject(schema) && schema["type"] === "object" && propertiesOf(schema).length > 0;

/**
 * Whether fields hold all members of an object within a form. An object with a default, or with members that have no
 * field, is JSON. An author who doesn't mention further members expects none.
 */
const isPart = (schema: Property): boolean =>
  hasFields(schema) &&
  schema.default === undefined &&
  (schema.additionalProperties ?? false) === false &&
  schema.patternProperties === undefined &&
  (!Array.isArray(schema.required) ||
    schema.required.every((name) => propertiesOf(schema).some(([own]) => own === name)));

function FormField({
  name,
  label,
  property,
  isRequired: required,
}: {
  readonly name: string;
  readonly label: string;
  readonly property: Property;
  readonly isRequired: boolean;
}): ReactNode {
  const { type, enum: choices, description, widget } = property;
  const hint = isText(description) ? { hint: description } : {};
  const initial = initialTextOf(property);
  if (!Array.isArray(choices) && !TEXT_TYPES.has(String(type)) && type !== "boolean") {
    return (
      <JsonField
        label={label}
        name={name}
        rows={3}
        initial={initial}
        isRequired={required}
        {...hint}
      />
    );
  }
  return (
    <Field label={label} {...hint}>
      {(attributes) => {
        if (Array.isArray(choices)) {
          return (
            <select {...attributes} name={name} required={required} defaultValue={initial}>
              <option value="" />
              {choices.map((choice) => (
                <option key={textFor(choice)} value={textFor(choice)}>
                  {textFor(choice)}
                </option>
              ))}
            </select>
          );
        }
        if (type === "boolean") {
          return (
            <input
              {...attributes}
              name={name}
              type="checkbox"
              defaultChecked={property.default === true}
            />
          );
        }
        if (widget === "textarea") {
          return (
            <textarea
              {...attributes}
              name={name}
              rows={4}
              required={required}
              defaultValue={initial}
            />
          );
        }
        return (
          <input
            {...attributes}
            name={name}
            required={required}
            defaultValue={initial}
            autoComplete="off"
            {...(type === "string" ? {} : numberAttributes(property))}
          />
        );
      }}
    </Field>
  );
}

/** Bounds that the browser checks, too. */
const numberAttributes = ({ type, minimum, maximum }: Property) => ({
  type: "number",
  step: type === "integer" ? 1 : "any",
  ...(typeof minimum === "number" ? { min: minimum } : {}),
  ...(typeof maximum === "number" ? { max: maximum } : {}),
});

const TEXT_TYPES: ReadonlySet<string> = new Set(["string", "number", "integer"]);

/** The values of a form, without fields that were left empty and optional parts that were left as they began. */
export const valuesIn = (
  form: unknown,
  fields: FormData,
  path = "field",
): Record<string, unknown> =>
  Object.fromEntries(
    propertiesOf(form).flatMap(([name, property], index) => {
      const own = `${path}-${index}`;
      if (isPart(property) && !isRequired(form, name) && !isTouched(property, fields, own)) {
        return [];
      }
      const value = valueOf(name, property, fields, own);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );

/** Whether a field of a part differs from what it began with. */
const isTouched = (part: Property, fields: FormData, path: string): boolean =>
  propertiesOf(part).some(([, property], index) => {
    const own = `${path}-${index}`;
    if (isPart(property)) return isTouched(property, fields, own);
    if (isBox(property)) return (fields.get(own) === "on") !== (property.default === true);
    return (textOf(fields, own) ?? "") !== initialTextOf(property).trim();
  });

/** The text that a control shows at first: a list shows none but its choices. */
function initialTextOf({ default: initial, enum: choices }: Property): string {
  const text = textFor(initial);
  const isShown =
    !Array.isArray(choices) || (choices as unknown[]).some((choice) => textFor(choice) === text);
  return isShown ? text : "";
}

const isBox = ({ type, enum: choices }: Property): boolean =>
  type === "boolean" && !Array.isArray(choices);

function valueOf(name: string, property: Property, fields: FormData, path: string): unknown {
  const { type, enum: choices } = property;
  if (isPart(property)) return valuesIn(property, fields, path);
  if (isBox(property)) return fields.get(path) === "on";
  const text = textOf(fields, path);
  if (text === undefined) return undefined;
  if (Array.isArray(choices)) {
    return (choices as unknown[]).find((choice) => textFor(choice) === text);
  }
  if (type === "string") return text;
  if (TEXT_TYPES.has(String(type))) return Number(text);
  return parseJson(text, name);
}
