/** The fields of a form, from the JSON Schema of an object. */
import type { ReactNode } from "react";
import { Field } from "../field.tsx";
import { JsonField } from "../json-field.tsx";
import {
  choicesOf,
  controlOf,
  initialTextOf,
  isObject,
  isOneLine,
  isPart,
  isRequired,
  isText,
  type Property,
  propertiesOf,
  textFor,
} from "./properties.ts";

/**
 * @param path Of the object that the form is for, if it is part of another one.
 * @param isNeeded Whether that object must be given: a browser doesn't ask for fields of one that may be left empty.
 * @param values Members of the object that the fields begin with, in place of the defaults of the schema. A part among
 *   them is marked, so that it is not left out.
 */
export const FormFields = ({
  form,
  path = "field",
  isNeeded = true,
  values,
}: {
  readonly form: unknown;
  readonly path?: string;
  readonly isNeeded?: boolean;
  readonly values?: unknown;
}): ReactNode =>
  propertiesOf(form).map(([name, property], index) => {
    const label = isText(property.title) ? property.title : name;
    const own = `${path}-${index}`;
    const isOwnNeeded = isNeeded && isRequired(form, name) && !property.isNullable;
    const value = isObject(values) ? values[name] : undefined;
    return isPart(property) ? (
      <fieldset key={name}>
        <legend>{label}</legend>
        {isText(property.description) ? <p className="hint">{property.description}</p> : null}
        {isObject(value) ? <input type="hidden" name={own} value="given" /> : null}
        <FormFields form={property} path={own} isNeeded={isOwnNeeded} values={value} />
      </fieldset>
    ) : (
      <FormField
        key={name}
        name={own}
        label={label}
        property={property}
        isRequired={isOwnNeeded}
        value={value === undefined ? property.default : value}
      />
    );
  });

function FormField({
  name,
  label,
  property,
  isRequired: required,
  value,
}: {
  readonly name: string;
  readonly label: string;
  readonly property: Property;
  readonly isRequired: boolean;
  /** What the field begins with. */
  readonly value: unknown;
}): ReactNode {
  const { description, isNullable } = property;
  const hint = isText(description) ? description : undefined;
  const control = controlOf(property);
  const own = { name, required, defaultValue: initialTextOf(property, value) };
  const whenEmpty = isNullable ? "no value" : "";
  if (control === "json") {
    return (
      <JsonField
        label={label}
        name={name}
        rows={3}
        initial={own.defaultValue}
        isRequired={required}
        hint={hint}
      />
    );
  }
  if (control === "box") {
    return (
      <div className="field">
        <label className="check">
          <input name={name} type="checkbox" defaultChecked={value === true} />
          {label}
        </label>
        {hint === undefined ? null : <span className="hint">{hint}</span>}
      </div>
    );
  }
  return (
    <Field label={label} hint={hint}>
      {(attributes) => {
        if (control === "list") {
          return (
            <select {...attributes} {...own}>
              <option value="">{whenEmpty}</option>
              {choicesOf(property).map((choice) => (
                <option key={textFor(choice)} value={textFor(choice)}>
                  {textFor(choice)}
                </option>
              ))}
            </select>
          );
        }
        if (!isOneLine(property)) {
          return <textarea {...attributes} {...own} rows={4} placeholder={whenEmpty} />;
        }
        return (
          <input
            {...attributes}
            {...own}
            autoComplete="off"
            placeholder={whenEmpty}
            {...(control === "text" ? {} : numberAttributes(property))}
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
