/** The fields of a form, from its JSON Schema, and the values that a person fills in. */
import type { ReactNode } from "react";
import { parseJson } from "../../format/json-text.ts";
import { Field } from "../../parts/field.tsx";
import { textOf } from "../../parts/form-dialog.tsx";
import { JsonField } from "../../parts/json-field.tsx";

interface Property {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly default?: unknown;
  readonly enum?: unknown;
  readonly widget?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function propertiesOf(form: unknown): readonly (readonly [string, Property])[] {
  if (!isObject(form) || !isObject(form["properties"])) return [];
  const { properties } = form;
  return namesInOrder(properties, form["order"]).map((name) => {
    const property = properties[name];
    return [name, isObject(property) ? property : {}];
  });
}

/** The author's order, which JSON objects in a database don't keep; fields that it doesn't name follow. */
function namesInOrder(
  properties: Readonly<Record<string, unknown>>,
  order: unknown,
): readonly string[] {
  const names = Object.keys(properties);
  if (!Array.isArray(order)) return names;
  const first = new Set((order as unknown[]).filter((name) => names.includes(name as string)));
  return [...(first as Set<string>), ...names.filter((name) => !first.has(name))];
}

const isRequired = (form: unknown, name: string): boolean =>
  isObject(form) && Array.isArray(form["required"]) && form["required"].includes(name);

const textFor = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

const fieldName = (index: number): string => `field-${index}`;

export const FormFields = ({ form }: { form: unknown }): ReactNode =>
  propertiesOf(form).map(([name, property], index) => (
    <FormField
      key={name}
      name={fieldName(index)}
      label={typeof property.title === "string" ? property.title : name}
      property={property}
      isRequired={isRequired(form, name)}
    />
  ));

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
  const hint = typeof description === "string" ? { hint: description } : {};
  const initial = textFor(property.default);
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

/** The values of a form, without fields that were left empty. */
export function valuesIn(form: unknown, fields: FormData): Record<string, unknown> {
  const entries = propertiesOf(form).flatMap(([name, { type, enum: choices }], index) => {
    if (type === "boolean" && !Array.isArray(choices)) {
      return [[name, fields.get(fieldName(index)) === "on"] as const];
    }
    const text = textOf(fields, fieldName(index));
    if (text === undefined) return [];
    if (Array.isArray(choices)) {
      return [[name, (choices as unknown[]).find((choice) => textFor(choice) === text)] as const];
    }
    if (type === "string") return [[name, text] as const];
    if (TEXT_TYPES.has(String(type))) return [[name, Number(text)] as const];
    return [[name, parseJson(text, name)] as const];
  });
  return Object.fromEntries(entries);
}
