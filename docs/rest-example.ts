/** Example values for schemas of the REST reference. */

export interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const TIME = "2026-05-01T12:00:00.000Z";

/** Examples by the name of a property or parameter. */
const VALUES: Readonly<Record<string, unknown>> = {
  run_id: "1042",
  runId: "1042",
  subscription_id: "7",
  subscriptionId: "7",
  messageId: "318",
  messageIds: ["318", "319"],
  receipt: "9007412",
  receipts: ["9007412"],
  workflow: "onboard-user",
  workflows: "onboard-user",
  event: "approved",
  pattern: "orders.*",
  topic: "orders.created",
  target: "mail",
  step: "send-welcome",
  input: { email: "ada@example.com" },
  payload: { by: "ada" },
  message: { orderId: 42 },
  output: { userId: 42 },
  tags: { tenant: "acme" },
  headers: { kind: "order" },
  filter: null,
  options: null,
  error: null,
  errors: [],
  settings: { concurrency: 10 },
  cron: "0 9 * * *",
  timeZone: "Europe/Berlin",
  idempotencyKey: "order-42",
  deduplicationId: "order-42",
  versions: { "onboard-user": [1, 2] },
  worker: "host-1:4711",
  url: "https://example.org/hook",
  version: 1,
  attempt: 1,
  attempts: 1,
  limit: 50,
  invariant: "running_run_has_continuation",
  ids: ["318"],
  secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  conditions: { name: "onboard-user", status: ["failed"] },
  kind: "run",
  durationMs: 104,
  reason: "the target answered 500",
  wait: "30s",
  cursor: "cjEwNDI",
  schema: "0.2.0",
  incarnation: "live",
  detail: "run 1042 has no continuation",
  subject: "run 1042",
  name: "onboard-user",
  message_id: "318",
  fromStep: "send-welcome",
  continuation: {},
  journal: [],
  deliveries: [],
  transition: { kind: "complete", output: '{"userId":42}' },
  known: {},
  resolved: [],
  outcome: "ok",
  flowKey: "acme",
  activity: null,
  failureOf: null,
  id: "318",
  status: "ready",
  data: {},
  state: { progress: 0.4 },
  waits: [],
  retries: [],
  inProgress: [],
  failures: [],
};

/** Names of things, by the path of the endpoint. */
const NAMES: readonly (readonly [path: string, name: string])[] = [
  ["/v1/queues", "mail"],
  ["/v1/schedules", "nightly-report"],
  ["/v1/definitions", "page-on-major"],
];

/** @param options.isWhole Whether optional properties are part of it. */
export function exampleOf(
  schema: Schema,
  name: string,
  path: string,
  options: { readonly isWhole?: boolean } = {},
): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return name === "status" ? "completed" : schema.enum[0];
  if (name === "name" || name === "queue") {
    return NAMES.find(([start]) => path.startsWith(start))?.[1] ?? "onboard-user";
  }
  if (schema.type === "null") return null;
  const [first, ...others] = schema.anyOf ?? [];
  if (first !== undefined) {
    const isNullable = others.some(({ type }) => type === "null");
    if (isNullable && options.isWhole === true && !(name in VALUES)) return null;
    return exampleOf(first, name, path, options);
  }
  if (schema.type === "array" && schema.items?.properties !== undefined) {
    return [exampleOf(schema.items, name, path, options)];
  }
  if (schema.properties !== undefined && Object.keys(schema.properties).length > 0) {
    return exampleObject(schema, name, path, options);
  }
  if (name in VALUES) return VALUES[name];
  return exampleScalar(schema, name, path);
}

function exampleObject(
  { properties = {}, required = [] }: Schema,
  name: string,
  path: string,
  options: { readonly isWhole?: boolean },
): unknown {
  if (name === "conditions") return VALUES[name];
  const shown = Object.entries(properties).filter(
    ([key, property]) =>
      options.isWhole === true ||
      (required.includes(key) && property.default === undefined) ||
      ["input", "change", "target"].includes(key),
  );
  return Object.fromEntries(
    shown.map(([key, property]) => [key, exampleOf(property, key, path, options)]),
  );
}

function exampleScalar(schema: Schema, name: string, path: string): unknown {
  if (schema.format === "date-time") return TIME;
  if (schema.default !== undefined) return schema.default;
  if (schema.type === "array") return [exampleOf(schema.items ?? {}, name, path)];
  if (schema.pattern?.startsWith("^[0-9]") === true) return "318";
  if (schema.type === "boolean") return true;
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  if (schema.type === "object") return {};
  return schema.type === "string" ? "…" : null;
}
