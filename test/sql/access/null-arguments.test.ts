/** Null in each argument of each function, one by one and in all: it is refused by a clear error, or opens nothing. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { createFleet } from "../../helpers/fleet.ts";
import {
  attempt,
  callOf,
  functionsOf,
  populate,
  type Populated,
  type RoleFunction,
  type Values,
} from "../../helpers/populated.ts";
import { only } from "../../helpers/queues.ts";

const SHARD = fileURLToPath(new URL("../../../extension-sql/src/shard", import.meta.url));

/** The tables that each role's calls write to: their own and others that belong to what the role does. */
const WRITES: Readonly<Record<string, RegExp>> = {
  oxbow_producer:
    /^(approval|audit|deduplication|protected_reference_\d+|q_(orders|carts|__http)|resource_reference|schedule|workflow_(buffered_signal|continuation|run|signal_receipt))$/,
  oxbow_worker:
    /^((id|ready)_mark|node_type|q_(orders|carts|__schedules|__tr_.*)|queue|resource_type|schedule|trigger_event|workflow_(continuation|progress|run|run_state|step|stream_chunk|version|worker))$/,
  oxbow_reader: /^$/,
  oxbow_author: /^(audit|definition(_layout|_snapshot|_test_run)?|workflow_(continuation|run))$/,
  oxbow_publisher:
    /^(audit|definition(_setting|_test_run|_version)?|deleted_definition|workflow_(continuation|run|version))$/,
  oxbow_relay: /^$/,
  oxbow_admin: /./,
};

/** Ours, and those of missing rights and objects. Constraints of the journal speak for rows of a commit. */
const isClear = (code: string, called: string): boolean =>
  /^(OX...|42501|42704)$/.test(code) ||
  (called === "workflow_commit" && /^(23502|23514)$/.test(code));

function casesOf({ name, parameters }: RoleFunction): Values[] {
  const nulls = parameters.map((parameter) => ({ [`${name}.${parameter.name}`]: "null" }));
  return nulls.length < 2 ? nulls : [...nulls, Object.assign({}, ...nulls) as Values];
}

/** What null does and shouldn't: raw errors, and writes beyond those of the role. */
async function faults(
  { database, values }: Populated,
  role: string,
  isCalled: (name: string) => boolean,
): Promise<string[]> {
  const client = await database.connect();
  const found: string[] = [];
  for (const called of await functionsOf(database, role)) {
    if (!isCalled(called.name)) continue;
    for (const nulls of casesOf(called)) {
      const { code, message, written } = await attempt(
        client,
        role,
        callOf(called, { ...values, ...nulls }),
      );
      const what = `${called.name}, null: ${Object.keys(nulls).join(", ")}`;
      if (code !== null && !isClear(code, called.name)) found.push(`${what}: ${code} ${message}`);
      const beyond = written.filter((table) => WRITES[role]?.test(table) !== true);
      if (beyond.length > 0) found.push(`${what}: wrote to ${beyond.join(", ")}`);
    }
  }
  return found;
}

describe("null", () => {
  let world: Populated;
  beforeAll(async () => {
    world = await populate();
  });

  it.each([
    "oxbow_producer",
    "oxbow_worker",
    "oxbow_reader",
    "oxbow_author",
    "oxbow_publisher",
    "oxbow_relay",
  ])("opens nothing to %s", async (role) => {
    expect(await faults(world, role, () => true)).toEqual([]);
  });

  it("is refused clearly to administrators, in what only they may call", async () => {
    const rows = await world.database.query<{ name: string }>(
      `select function_name as name from queue._privileges() group by 1
       having array_agg(grantee) = array['oxbow_admin']`,
    );
    const names = new Set(rows.map(({ name }) => name));
    expect(names.size).toBeGreaterThan(50);
    expect(await faults(world, "oxbow_admin", (name) => names.has(name))).toEqual([]);
  });

  it("selects no runs to change", async () => {
    const client = await world.database.connect();
    const all = (await functionsOf(world.database, "oxbow_admin")).filter(({ name }) =>
      /^workflow_.*_all$/.test(name),
    );
    expect(all.length).toBeGreaterThan(5);
    for (const called of all) {
      const call = callOf(called, { ...world.values, filter: "null" });
      expect([called.name, (await attempt(client, "oxbow_admin", call)).code]).toEqual([
        called.name,
        "OX004",
      ]);
    }
  });
});

describe("null, in a shard of a fleet,", () => {
  let world: Populated;
  beforeAll(async () => {
    const { database, values } = await populate();
    await createFleet(2, database);
    const { id } = only(
      await database.query<{ id: string }>("select fleet_id as id from queue.fleet"),
    );
    world = { database, values: { ...values, fleet_id: `'${id}'` } };
  });

  it("opens nothing to relays and administrators", async () => {
    for (const role of ["oxbow_relay", "oxbow_admin"]) {
      expect(await faults(world, role, (name) => existsSync(`${SHARD}/${name}.sql`))).toEqual([]);
    }
  });

  it("lets no item in", async () => {
    const client = await world.database.connect();
    const relay = await functionsOf(world.database, "oxbow_relay");
    const accept = only(relay.filter(({ name }) => name === "accept"));
    expect((await attempt(client, "oxbow_relay", callOf(accept, world.values))).code).toBeNull();
    for (const nulls of casesOf(accept)) {
      const call = callOf(accept, { ...world.values, ...nulls });
      expect([nulls, (await attempt(client, "oxbow_relay", call)).code]).toEqual([
        nulls,
        expect.stringMatching(/^OX(004|028)$/),
      ]);
    }
  });
});
