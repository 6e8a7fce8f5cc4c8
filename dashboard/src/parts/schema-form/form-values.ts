/** The values that a person fills in, and whether a form can show given ones. */
import { parseJson } from "../../format/json-text.ts";
import { textOf } from "../form-dialog.tsx";
import {
  choicesOf,
  controlOf,
  initialTextOf,
  isObject,
  isOneLine,
  isPart,
  isRequired,
  type Property,
  propertiesOf,
  textFor,
} from "./properties.ts";

/**
 * The values of a form, without fields that were left empty and optional parts that were left as they began. An empty
 * field that is required and may be null is null.
 */
export const valuesIn = (
  form: unknown,
  fields: FormData,
  path = "field",
): Record<string, unknown> =>
  Object.fromEntries(
    propertiesOf(form).flatMap(([name, property], index) => {
      const own = `${path}-${index}`;
      const value =
        isPart(property) && mayBeLeftOut(form, name, property) && !isTouched(property, fields, own)
          ? undefined
          : valueOf(name, property, fields, own);
      if (value !== undefined) return [[name, value] as const];
      return property.isNullable && isRequired(form, name) ? [[name, null] as const] : [];
    }),
  );

const mayBeLeftOut = (form: unknown, name: string, property: Property): boolean =>
  property.isNullable || !isRequired(form, name);

/** Whether a part was given before, or a field of it differs from the default that it began with. */
const isTouched = (part: Property, fields: FormData, path: string): boolean =>
  fields.has(path) ||
  propertiesOf(part).some(([, property], index) => {
    const own = `${path}-${index}`;
    if (isPart(property)) return isTouched(property, fields, own);
    if (controlOf(property) === "box") {
      return (fields.get(own) === "on") !== (property.default === true);
    }
    return (textOf(fields, own) ?? "") !== initialTextOf(property).trim();
  });

function valueOf(name: string, property: Property, fields: FormData, path: string): unknown {
  if (isPart(property)) return valuesIn(property, fields, path);
  if (controlOf(property) === "box") return fields.get(path) === "on";
  const text = textOf(fields, path);
  return text === undefined ? undefined : valueOfText(name, property, text);
}

function valueOfText(name: string, property: Property, text: string): unknown {
  const control = controlOf(property);
  if (control === "list") return choicesOf(property).find((choice) => textFor(choice) === text);
  if (control === "text") return text;
  return control === "number" ? Number(text) : parseJson(text, name);
}

/** Why the fields of a form can't hold given values as they are; undefined if they can. */
export function misfitOf(form: unknown, values: unknown): string | undefined {
  if (!isObject(values)) return "The form is for an object.";
  const properties = new Map(propertiesOf(form));
  for (const [name, value] of Object.entries(values)) {
    const property = properties.get(name);
    if (property === undefined) return `The form has no field for "${name}".`;
    if (value === null && property.isNullable && isRequired(form, name)) continue;
    if (isPart(property) && isObject(value)) {
      const misfit = misfitOf(property, value);
      if (misfit !== undefined) return misfit;
    } else if (isPart(property) || !isHeld(name, property, value)) {
      return `The form has no field for this value of "${name}".`;
    }
  }
  return undefined;
}

/** Whether a control that begins with a value is read as the same one. */
function isHeld(name: string, property: Property, value: unknown): boolean {
  if (controlOf(property) === "box") return typeof value === "boolean";
  const text = keptText(property, initialTextOf(property, value)).trim();
  const read = text === "" ? undefined : valueOfText(name, property, text);
  return JSON.stringify(read) === JSON.stringify(value);
}

/** What a browser keeps of a text: a line has no line breaks, and those of several lines are written in one way. */
const keptText = (property: Property, text: string): string =>
  isOneLine(property) ? text.replaceAll(/[\r\n]/g, "") : text.replaceAll(/\r\n?/g, "\n");
