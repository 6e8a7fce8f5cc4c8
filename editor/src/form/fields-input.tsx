/** The schema of an object, made field by field: names, types, and whether they are required. */
import type { Json, JsonObject, JsonSchema } from "@oxbow/declared/check";
import type { ReactNode } from "react";
import { IconButton } from "../catalog/icon.tsx";
import { useStore } from "../state/use-editor.ts";
import { AddMember } from "./add-member.tsx";
import { propertiesOf } from "./schema-facts.ts";

const SIMPLE_TYPES: readonly (readonly [name: string, title: string, schema: JsonObject])[] = [
  ["text", "Text", { type: "string" }],
  ["number", "Number", { type: "number" }],
  ["integer", "Whole number", { type: "integer" }],
  ["boolean", "Yes or no", { type: "boolean" }],
  ["time", "Time", { type: "string", format: "date-time" }],
  ["texts", "List of texts", { type: "array", items: { type: "string" } }],
  ["object", "Object", { type: "object" }],
  ["list", "List", { type: "array" }],
  ["any", "Anything", {}],
];

export function FieldsInput({
  schema,
  label,
  onChange,
}: {
  readonly schema: JsonSchema | undefined;
  readonly label: string;
  readonly onChange: (schema: JsonObject | undefined) => void;
}): ReactNode {
  const { catalog } = useStore();
  const resources = catalog.data.resourceTypes ?? [];
  const given = typeof schema === "object" ? schema : undefined;
  const whole = resources.find(({ type }) => given?.["$ref"] === `resource:${type}`);
  const fields = given === undefined ? [] : propertiesOf(given);
  const write = (properties: JsonObject, required: readonly string[]): void => {
    const { order: _order, ...rest } = given ?? {};
    const names = Object.keys(properties);
    // Stored documents keep only the order of lists.
    const order = names.length > 1 ? { order: names } : {};
    onChange(
      names.length === 0 ? undefined : { ...rest, type: "object", required, ...order, properties },
    );
  };
  if (whole !== undefined || fields === undefined) {
    return (
      <div className="oxe-list-item">
        <p>{whole === undefined ? "A schema of its own." : `A ${whole.title ?? whole.type}.`}</p>
        <button type="button" className="oxe-add" onClick={() => onChange(undefined)}>
          Replace by fields
        </button>
      </div>
    );
  }
  const properties = Object.fromEntries(fields.map((field) => [field.name, field.schema as Json]));
  const required = fields.flatMap((field) => (field.isRequired ? [field.name] : []));
  return (
    <div className="oxe-list">
      {fields.map((field) => {
        const type = typeOf(field.schema);
        return (
          <div className="oxe-schema-row" key={field.name}>
            <span className="oxe-mono oxe-schema-name">{field.name}</span>
            <select
              aria-label={`Type of ${field.name}`}
              value={type}
              onChange={({ target }) =>
                write({ ...properties, [field.name]: schemaOf(target.value) }, required)
              }
            >
              {SIMPLE_TYPES.map(([simple, title]) => (
                <option key={simple} value={simple}>
                  {title}
                </option>
              ))}
              {resources.map((resource) => (
                <option key={resource.type} value={`resource:${resource.type}`}>
                  {resource.title ?? resource.type}
                </option>
              ))}
              {type === "other" ? <option value="other">Its own schema</option> : null}
            </select>
            <label className="oxe-check">
              <input
                type="checkbox"
                aria-label={`${field.name} is required`}
                checked={field.isRequired}
                onChange={({ target }) =>
                  write(
                    properties,
                    target.checked
                      ? [...required, field.name]
                      : required.filter((each) => each !== field.name),
                  )
                }
              />
              required
            </label>
            <IconButton
              icon="close"
              size={14}
              label={`Remove ${field.name}`}
              title="Remove"
              onClick={() => {
                const { [field.name]: _removed, ...others } = properties;
                write(
                  others,
                  required.filter((each) => each !== field.name),
                );
              }}
            />
          </div>
        );
      })}
      <AddMember
        label={`New field of ${label}`}
        placeholder="Name of a field"
        action="Add field"
        isTaken={(name) => name in properties}
        onAdd={(name) => write({ ...properties, [name]: { type: "string" } }, [...required, name])}
      />
    </div>
  );
}

function typeOf(schema: JsonSchema): string {
  const reference = typeof schema === "object" ? schema["$ref"] : undefined;
  if (typeof reference === "string") return reference;
  const text = JSON.stringify(schema);
  return SIMPLE_TYPES.find(([, , simple]) => JSON.stringify(simple) === text)?.[0] ?? "other";
}

const schemaOf = (type: string): JsonObject =>
  type.startsWith("resource:")
    ? { $ref: type }
    : (SIMPLE_TYPES.find(([simple]) => simple === type)?.[2] ?? {});
