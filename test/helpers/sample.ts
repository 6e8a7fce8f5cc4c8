/** The simplest value of a JSON schema, for requests that pass it. */
export interface Schema {
  readonly const?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const TEXTS = ["known", "1", "a.b", "1s", "read", "0".repeat(32), "0".repeat(64)];
const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2030-01-01T00:00:00Z",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

export function sampleOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return sampleOf(first);
  const [type = "any"] = [schema.type].flat();
  switch (type) {
    case "string":
      return textOf(schema);
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items ?? {}));
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]),
      );
    default:
      return {};
  }
}

function textOf({ format, pattern, minLength = 0 }: Schema): string {
  const text = FORMATS[format ?? ""];
  if (text !== undefined) return text;
  const allowed = new RegExp(pattern ?? "", "u");
  const found = [...TEXTS, ...Object.values(FORMATS)].find((one) => allowed.test(one));
  if (found === undefined) throw new Error(`No sample text matches ${String(pattern)}.`);
  return found.padEnd(minLength, "x");
}
