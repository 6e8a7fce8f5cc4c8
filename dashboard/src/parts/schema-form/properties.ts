/** The fields that the JSON Schema of an object asks for. */

export interface Property {
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
  /** Whether null is a value, too. The other keywords are those of its other values. */
  readonly isNullable: boolean;
}

type Schema = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isText = (value: unknown): value is string => typeof value === "string";

export function propertiesOf(form: unknown): readonly (readonly [string, Property])[] {
  if (!isObject(form) || !isObject(form["properties"])) return [];
  const { properties } = form;
  return namesInOrder(properties, form).map((name) => {
    const property = properties[name];
    return [name, isObject(property) ? propertyOf(property) : { isNullable: false }];
  });
}

/** The author's order, which JSON objects in a database don't keep, but lists do: what is required follows, then the rest. */
function namesInOrder(properties: Schema, { order, required }: Schema): readonly string[] {
  const names = Object.keys(properties);
  const listed = [order, required].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  );
  const first = listed.filter((name): name is string => names.includes(name as string));
  return [...new Set([...first, ...names])];
}

/** A schema apart from null, and values that are listed as `enum`, in each of the ways in which libraries write both. */
function propertyOf(schema: Schema): Property {
  const { type, anyOf, oneOf, ...rest } = schema;
  if (Array.isArray(type) && type.length === 2 && type.includes("null")) {
    const other = (type as unknown[]).find((each) => each !== "null");
    const listed = valuesOf(schema);
    return {
      ...rest,
      type: other,
      ...(listed === undefined ? {} : listedApartFromNull(listed)),
      isNullable: true,
    };
  }
  const either = anyOf ?? oneOf;
  if (Array.isArray(either) && either.every(isObject)) {
    const listed = either.map((each) => (each["type"] === "null" ? [null] : valuesOf(each)));
    if (listed.every((values) => values !== undefined)) {
      return { ...rest, ...listedApartFromNull(listed.flat()) };
    }
    const others = either.filter((_each, index) => listed[index]?.[0] !== null);
    const [other] = others;
    if (other !== undefined && others.length === 1 && either.length === 2) {
      return { ...propertyOf(other), ...rest, isNullable: true };
    }
  }
  const listed = valuesOf(schema);
  return listed === undefined
    ? { ...schema, isNullable: false }
    : { ...schema, ...listedApartFromNull(listed) };
}

/** The values that a schema lists. */
function valuesOf({ const: only, enum: listed }: Schema): readonly unknown[] | undefined {
  if (only !== undefined) return [only];
  return Array.isArray(listed) ? listed : undefined;
}

const listedApartFromNull = (listed: readonly unknown[]) => ({
  enum: listed.filter((value) => value !== null),
  isNullable: listed.includes(null),
});

export const isRequired = (form: unknown, name: string): boolean =>
  isObject(form) && Array.isArray(form["required"]) && form["required"].includes(name);

/** Whether an object has a field for each of its properties. */
export const hasFields = (schema: unknown): boolean =>
  isObject(schema) && schema["type"] === "object" && propertiesOf(schema).length > 0;

/**
 * Whether fields hold all members of an object within a form. An object with a default, or with members that have no
 * field, is JSON. An author who doesn't mention further members doesn't expect any.
 */
export const isPart = (schema: Property): boolean =>
  hasFields(schema) &&
  schema.default === undefined &&
  (schema.additionalProperties ?? false) === false &&
  schema.patternProperties === undefined &&
  (!Array.isArray(schema.required) ||
    schema.required.every((name) => propertiesOf(schema).some(([own]) => own === name)));

/** The control that a property which is no part has. */
export function controlOf({
  type,
  enum: choices,
  isNullable,
}: Property): "list" | "box" | "text" | "number" | "json" {
  if (Array.isArray(choices)) return "list";
  // A box has two states, and no value is a third.
  if (type === "boolean") return isNullable ? "list" : "box";
  if (type === "string") return "text";
  return type === "number" || type === "integer" ? "number" : "json";
}

/** Whether the control is an input, whose text has one line. */
export const isOneLine = (property: Property): boolean => {
  const control = controlOf(property);
  return control === "number" || (control === "text" && property.widget !== "textarea");
};

/** The values of a list. */
export const choicesOf = ({ type, enum: choices }: Property): readonly unknown[] =>
  Array.isArray(choices) ? (choices as unknown[]) : type === "boolean" ? [true, false] : [];

export const textFor = (value: unknown): string =>
  value === undefined ? "" : isText(value) ? value : JSON.stringify(value);

/** The text that a control shows at first: a list shows only its choices. */
export function initialTextOf(property: Property, initial: unknown = property.default): string {
  // Where null is a value, an empty field stands for it.
  if (initial === null && property.isNullable) return "";
  const control = controlOf(property);
  if (control === "json") return initial === undefined ? "" : JSON.stringify(initial);
  const text = textFor(initial);
  const isShown =
    control !== "list" || choicesOf(property).some((choice) => textFor(choice) === text);
  return isShown ? text : "";
}
