/**
 * The reach of each role: a session calls all of its functions one after the other, with arguments that an attacker would
 * try. Texts that begin with "secret-" name the kind of their secret.
 */
import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import {
  callOf,
  functionsOf,
  populate,
  type Populated,
  type RoleFunction,
} from "../../helpers/populated.ts";

interface Reach {
  /** Tables in which a role's calls may write, with those of Oxbow's own that this leads to. */
  readonly writes: RegExp;
  /** In no answer. */
  readonly unseen: RegExp;
}

const REACH: Readonly<Record<string, Reach>> = {
  oxbow_producer: {
    writes:
      /^(approval|audit|deduplication|protected_reference_\d+|q_(orders|carts|__http)|queue|resource_reference|schedule|workflow_(buffered_signal|continuation|run|signal_receipt))$/,
    unseen: /secret-/,
  },
  oxbow_worker: {
    writes:
      /^(node_type|q_(orders|letters|carts|__schedules|__tr_.*)|queue|resource_type|schedule|trigger_event|workflow_(continuation|run|run_state|step|stream_chunk|version|worker))$/,
    unseen: /secret-password/,
  },
  oxbow_reader: { writes: /^$/, unseen: /secret-password/ },
  oxbow_author: {
    writes: /^(audit|definition(_layout|_snapshot|_test_run)?|workflow_(continuation|run))$/,
    unseen: /secret-(input|output|state|chunk|password)/,
  },
  oxbow_publisher: {
    writes:
      /^(audit|definition(_setting|_test_run|_version)?|deleted_definition|workflow_(continuation|run|version))$/,
    unseen: /secret-(input|output|state|chunk|password)/,
  },
  oxbow_relay: { writes: /^$/, unseen: /secret-/ },
};

/** Values to try for parameters, by their names. */
function temptationsOf(secrets: Secrets): readonly (readonly [RegExp, readonly string[]])[] {
  const queues = ["__http", "__topic_dead_letters", "__schedules", "__wf_billing", ' orders"'];
  const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`);
  const lists = (values: readonly string[]) => values.map((value) => `array[${value}]`);
  const receipts = [secrets.delivery, secrets.tick, secrets.event, secrets.run];
  const names = ["billing", "draft", "@default", "__wf_billing", "oxbow-resources-x", "orders"];
  return [
    [/^(queue|dead_letter_queue)$/, quoted(queues)],
    [/^name$/, quoted([...queues, ...names])],
    [/^(workflow|definition)$/, quoted(names)],
    [/^names$/, lists(quoted(names))],
    [/^effect_targets$/, lists(quoted([...names, secrets.runId, "oxbow.run.x"]))],
    [/^effect_events$/, lists(quoted([" approval:review", "oxbow.run.x", "e"]))],
    [
      /^effect_kinds$/,
      lists(quoted(["invoke", "signal", "publish", "subscribe", "cancel", "approval"])),
    ],
    [/^(topic|pattern)$/, quoted(["oxbow.run.ended", "oxbow.hook.x", "#", "paid"])],
    [/^event$/, quoted([" approval:review", " topic:paid", " child:1"])],
    [/^(receipt|ack_receipt)$/, receipts],
    [/^receipts$/, lists(receipts)],
    [/^run_ids?$/, ["0", "-1", secrets.runId]],
    [/^(actor|owner_type|owner_id|type|pool)$/, quoted(["ada", "definition", "draft", "default"])],
    [/^filter$/, quoted(["{}", '{"test": true}'])],
    [/^(matching|message|input|payload)$/, quoted(["{}", '{"n": 1}'])],
    [/^(after|before|max_.*)$/, ["0", "100"]],
    [/^(publish|overwrite|replace|rollback|skip_locked|with_values)$/, ["true", "false"]],
    [/^options$/, quoted(['{"effects": "real"}'])],
  ];
}

interface Secrets {
  /** Receipts: of a delivery to a url, of a tick, of an event of a trigger and of a run. */
  readonly delivery: string;
  readonly tick: string;
  readonly event: string;
  readonly run: string;
  readonly runId: string;
}

const NUMBER = /\d{5,}/;

function secretsOf({ values }: Populated): Secrets {
  return {
    delivery: values["delivery_retry.receipt"] ?? "",
    tick: values["schedule_tick.receipt"] ?? "",
    event: NUMBER.exec(values["trigger_commit.events"] ?? "")?.[0] ?? "",
    run: values["ack_receipt"] ?? "",
    runId: values["run_id"] ?? "",
  };
}

function callsOf(called: RoleFunction, world: Populated): string[] {
  const temptations = temptationsOf(secretsOf(world));
  const changed = called.parameters.flatMap(({ name, type }) =>
    temptations
      .filter(([pattern]) => pattern.test(name))
      .flatMap(([, values]) =>
        values.map((value) => ({
          [`${called.name}.${name}`]:
            type.endsWith("[]") === value.startsWith("array") ? value : `array[${value}]`,
        })),
      ),
  );
  return [{}, ...changed].map((values) => callOf(called, { ...world.values, ...values }));
}

/** Rows that stay as they are, also in tables to which a role may write. */
const KEPT = [
  "q___http where msg_id <= 1",
  "queue where name in ('orders', 'letters', 'carts')",
  "subscription where target_type <> 'definition'",
];

/** Runs of workflows in code, which authors and publishers of definitions don't change. */
const RUNS_IN_CODE = "workflow_run where workflow_name in ('billing', 'ready', 'ended', 'leased')";

/** Hashes of the tables' contents, and of the rows that stay as they are. */
async function contents(client: pg.Client): Promise<Map<string, string>> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select quote_ident(c.relname) as name from pg_class as c
     where c.relnamespace = 'queue'::regnamespace and c.relkind = 'r'`,
  );
  const { rows } = await client.query<{ name: string; hash: string }>(
    [...tables.map(({ name }) => name), ...KEPT, RUNS_IN_CODE]
      .map(
        (name) =>
          `select ${pg.escapeLiteral(name)} as name, md5(string_agg(t::text, ' ' order by t::text)) as hash
           from (select * from queue.${name}) as t`,
      )
      .join(" union all "),
  );
  return new Map(rows.map(({ name, hash }) => [name.replaceAll('"', ""), hash]));
}

describe("all that a role may call", () => {
  let world: Populated;
  beforeAll(async () => {
    world = await populate();
  });

  it.each(Object.entries(REACH))("keeps %s from what others protect", async (role, reach) => {
    const { database } = world;
    const client = await database.connect();
    const functions = await functionsOf(database, role);
    const seen: string[] = [];
    // The address of a webhook is enough to send to it.
    const hook = role === "oxbow_publisher" ? "secret-hook" : world.values["hook_id"]?.slice(1, -1);
    const unseen = new RegExp(`${reach.unseen.source}|${hook ?? ""}`);
    await client.query("begin");
    const before = await contents(client);
    let carriedOut = 0;
    for (const call of functions.flatMap((called) => callsOf(called, world))) {
      try {
        const answers = (await client.query(
          `savepoint one; set local role ${role}; ${call}; reset role; release one`,
        )) as unknown as pg.QueryResult[];
        carriedOut += 1;
        const found = unseen.exec(JSON.stringify(answers[2]?.rows));
        if (found !== null) seen.push(`${found[0]}: ${call}`);
      } catch {
        await client.query("rollback to one");
      }
    }
    const after = await contents(client);
    await client.query("rollback");
    expect(carriedOut).toBeGreaterThan(functions.length / 4);
    expect(seen).toEqual([]);
    const changed = [...after.keys()].filter((name) => after.get(name) !== before.get(name));
    const mayChange = (name: string): boolean =>
      reach.writes.test(name) || (name === RUNS_IN_CODE && /producer|worker/.test(role));
    expect(changed.filter((name) => !mayChange(name))).toEqual([]);
  });
});
