/**
 * A product with incidents, in which customers build automations. Each change of an incident publishes one event,
 * `incident.updated`, in the same transaction.
 */
import type pg from "pg";

export const TABLES = `
  create schema app;
  create table app.severity (id text primary key, name text not null, rank integer not null);
  insert into app.severity values ('SEV1', 'Critical', 3), ('SEV2', 'Major', 2), ('SEV3', 'Minor', 1);
  create table app.custom_field (id text primary key, name text not null);
  insert into app.custom_field values ('CF7', 'Affected service');
  create table app.escalation_policy (id text primary key, name text not null);
  insert into app.escalation_policy values ('P7X', 'Infrastructure on call');
  create table app.incident (
    id          text primary key,
    name        text not null,
    severity_id text not null references app.severity,
    fields      jsonb not null default '{}'
  );
  create table app.message (sent_at timestamptz not null default clock_timestamp(), incident_id text not null, text text not null);
  -- The service that pages: it ignores requests with a key that it has seen.
  create table app.page (key text primary key, incident_id text not null, policy_id text not null);
  create table app.page_request (id integer generated always as identity primary key, key text not null, worker_pid integer not null);
`;

/** An incident, as its events contain it. */
export interface Incident {
  readonly id: string;
  readonly name: string;
  readonly severity_id: string;
  /** Values of custom fields, by the id of the field. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The changes that users of the product make. */
export class Product {
  readonly #database: pg.Client;

  constructor(database: pg.Client) {
    this.#database = database;
  }

  declare(id: string, name: string): Promise<void> {
    return this.#change(
      "insert into app.incident (id, name, severity_id) values ($1, $2, 'SEV3') returning *",
      [id, name],
    );
  }

  setSeverity(id: string, severity: string): Promise<void> {
    return this.#change("update app.incident set severity_id = $2 where id = $1 returning *", [
      id,
      severity,
    ]);
  }

  setField(id: string, field: string, value: string): Promise<void> {
    return this.#change(
      "update app.incident set fields = fields || jsonb_build_object($2::text, $3::text) where id = $1 returning *",
      [id, field, value],
    );
  }

  rename(id: string, name: string): Promise<void> {
    return this.#change("update app.incident set name = $2 where id = $1 returning *", [id, name]);
  }

  /** The change and its event commit together: neither exists without the other. */
  async #change(statement: string, values: readonly string[]): Promise<void> {
    await this.#database.query(
      `with changed as (${statement})
       select queue.send_topic('incident.updated', to_jsonb(changed)) from changed`,
      [...values],
    );
  }
}
