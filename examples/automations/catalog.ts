/** The events, resources and actions that the product offers to its customers. */
import { setTimeout as pause } from "node:timers/promises";
import { createDefinitions, defineNode, defineResource, defineTrigger } from "@oxbow/declared";
import pg from "pg";
import type { Incident } from "./app.ts";

const pool = new pg.Pool({ connectionString: process.env["QUEUE_URL"], max: 4 });

const text = { type: "string" } as const;
const severitySchema = {
  type: "object",
  required: ["id", "name", "rank"],
  properties: { id: text, name: text, rank: { type: "integer" } },
} as const;
const namedSchema = {
  type: "object",
  required: ["id", "name"],
  properties: { id: text, name: text },
} as const;

/** A type of resources whose rows are those of a table. */
const resourceOf = (type: string, title: string, table: string, schema: object) =>
  defineResource({
    type,
    title,
    schema: { ...schema },
    get: async (ids) => {
      const { rows } = await pool.query<{ id: string }>(
        `select * from ${table} where id = any ($1)`,
        [ids],
      );
      return Object.fromEntries(rows.map((row) => [row.id, row]));
    },
    table: { name: table, id: "id" },
  });

/** Fired whenever anything about an incident changes. */
const incidentUpdated = defineTrigger({
  name: "incident.updated",
  schema: {
    type: "object",
    required: ["id", "name", "severity_id", "fields", "severity"],
    properties: {
      id: text,
      name: text,
      severity_id: text,
      fields: { type: "object", additionalProperties: text },
      severity: severitySchema,
    },
  },
  loads: ["severity"],
  load: async ({ event }) => {
    const { rows } = await pool.query("select * from app.severity where id = $1", [
      (event as Incident).severity_id,
    ]);
    return { severity: rows[0] };
  },
});

const postMessage = defineNode({
  type: "slack.post",
  title: "Post a message",
  params: {
    type: "object",
    required: ["incident", "text"],
    properties: { incident: text, text },
  },
  run: async ({ params }) => {
    const { incident, text: message } = params as { incident: string; text: string };
    await pool.query("insert into app.message (incident_id, text) values ($1, $2)", [
      incident,
      message,
    ]);
  },
});

/** The first answer of the paging service takes this long, unless the worker dies first. */
const SLOW_MS = 60_000;

const escalate = defineNode({
  type: "pagerduty.escalate",
  title: "Page an escalation policy",
  params: {
    type: "object",
    required: ["incident", "policy"],
    properties: { incident: text, policy: { type: "string", format: "resource:EscalationPolicy" } },
  },
  retry: { attempts: 10 },
  run: async ({ params, idempotencyKey, signal }) => {
    const { incident, policy } = params as { incident: string; policy: string };
    await pool.query("insert into app.page_request (key, worker_pid) values ($1, $2)", [
      idempotencyKey,
      process.pid,
    ]);
    const { rowCount } = await pool.query(
      "insert into app.page values ($1, $2, $3) on conflict do nothing",
      [idempotencyKey, incident, policy],
    );
    const { rows } = await pool.query<{ pages: number }>(
      "select count(*)::int as pages from app.page",
    );
    if (rowCount === 1 && rows[0]?.pages === 1) await pause(SLOW_MS, undefined, { signal });
    return { key: idempotencyKey };
  },
});

export const definitions = createDefinitions({
  triggers: [incidentUpdated],
  resources: [
    resourceOf("Severity", "Severity", "app.severity", severitySchema),
    resourceOf("CustomField", "Custom field", "app.custom_field", namedSchema),
    resourceOf("EscalationPolicy", "Escalation policy", "app.escalation_policy", namedSchema),
  ],
  nodes: [postMessage, escalate],
});

export const close = (): Promise<void> => pool.end();
