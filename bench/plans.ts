/**
 * The plans of the hot path as they really run, each over a hundred items together and among 100,000 others:
 * `make bench-plans` writes bench/results/plans.md. Triggers and lookups in the catalog are left out.
 */
import { writeFileSync } from "node:fs";
import type pg from "pg";
import { type Environment, prepare } from "./environment.ts";
import { describeMachine } from "./machine.ts";
import { connectTo } from "./measure/connect.ts";

const BATCH = 100;
const OTHERS = 100_000;
const COMMIT = `select outcome from queue.workflow_commit(
  names => array_fill('flow'::text, array[${BATCH}]), run_ids => $1, receipts => $2,
  transitions => array_fill($3::text, array[${BATCH}]), results => array_fill($4::jsonb, array[${BATCH}]),
  resume_at => array_fill(null::timestamptz, array[${BATCH}]),
  step_items => array(select generate_series(1, ${BATCH})), step_positions => array_fill($5::integer, array[${BATCH}]),
  step_names => array_fill('step ' || $5, array[${BATCH}]), step_kinds => array_fill('run'::text, array[${BATCH}]),
  step_outputs => array_fill('1'::jsonb, array[${BATCH}]), step_errors => array_fill(null::jsonb, array[${BATCH}]),
  step_attempts => array_fill(1, array[${BATCH}]), step_durations => array_fill(1.5::float8, array[${BATCH}]))`;

type Row = Record<string, unknown>;

/** A session that hands out the plans of all statements inside of a call. */
class Explainer {
  readonly #client: pg.Client;
  readonly #plans: string[] = [];

  constructor(client: pg.Client) {
    this.#client = client;
    client.on("notice", ({ message = "" }) => void this.#plans.push(message));
  }

  async query(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#client.query<Row>(text, [...values])).rows;
  }

  /** Explains a call; returns its rows and, as Markdown, the plans that touch a table. */
  async explain(
    name: string,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<[Row[], string]> {
    this.#plans.length = 0;
    await this.#client.query("set auto_explain.log_min_duration = 0");
    const rows = await this.query(text, values);
    await this.#client.query("set auto_explain.log_min_duration = -1");
    const plans = this.#plans.filter((plan) => isOfInterest(plan));
    return [
      rows,
      `## ${name}\n\n${plans.map((plan) => `\`\`\`\n${tidy(plan)}\n\`\`\``).join("\n\n")}\n`,
    ];
  }
}

/** Statements that write, or read more than a setting. Of those that call others, the inner ones are shown. */
function isOfInterest(plan: string): boolean {
  const pages = Number(/Buffers: shared hit=(\d+)/.exec(plan)?.[1] ?? 0);
  return (
    (pages >= 20 || plan.includes("WAL:")) &&
    !/^(?:Function Scan|Nested Loop|Result)\b/.test(tidy(plan))
  );
}

/** The plan without its statement. */
function tidy(plan: string): string {
  const lines = plan.split("\n");
  const from = lines.findIndex((line) => / {2}\(cost=/.test(line));
  return lines
    .slice(from)
    .map((line) => line.replace(/\(cost=\S+ rows=\d+ width=\d+\) /, "").slice(0, 160))
    .join("\n")
    .trimEnd();
}

async function fill({ database }: Environment): Promise<void> {
  await database.query("select queue.create_queue('standard'), queue.create_queue('fifo', true)");
  const messages = `array_fill('{"note": "${"x".repeat(120)}"}'::jsonb, array[${OTHERS}])`;
  await database.query(`select count(*) from queue.send_batch('standard', ${messages})`);
  await database.query(`select cardinality(queue._send_fifo('fifo', ${messages},
    array(select 'group ' || i % 1000 from generate_series(1, ${OTHERS}) as i), '0', null))`);
  await database.query(`select count(*) from queue.workflow_start_batch('flow', ${messages})`);
}

const ids = (rows: readonly Row[], column: string): unknown[] => rows.map((row) => row[column]);

async function sections(on: Explainer): Promise<string[]> {
  const texts: string[] = [];
  const explain = async (
    name: string,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> => {
    const [rows, section] = await on.explain(name, text, values);
    texts.push(section);
    return rows;
  };
  const some = `array_fill('1'::jsonb, array[${BATCH}])`;
  // Twice, since the plan of a statement is made at its first call in a session.
  for (const isWarm of [false, true]) {
    texts.length = isWarm ? 0 : texts.length;
    await explain(
      `send_batch, ${BATCH} messages`,
      `select from queue.send_batch('standard', ${some})`,
    );
    const messages = await explain(
      `receive, ${BATCH} messages`,
      `select * from queue.receive('standard', ${BATCH})`,
    );
    await explain(
      `delete_batch, ${BATCH} messages`,
      "select from queue.delete_batch('standard', $1::bigint[])",
      [ids(messages, "receipt")],
    );
    await explain("send_fifo, one message", "select queue.send_fifo('fifo', '1', 'group 7')");
    const heads = await explain(
      `receive_fifo, ${BATCH} heads`,
      `select * from queue.receive_fifo('fifo', ${BATCH})`,
    );
    await explain(
      `delete_batch, ${BATCH} heads`,
      "select from queue.delete_batch('fifo', $1::bigint[])",
      [ids(heads, "receipt")],
    );
    await explain(
      `workflow_start_batch, ${BATCH} runs`,
      `select * from queue.workflow_start_batch('flow', ${some})`,
    );
    const runs = await explain(
      `workflow_receive, ${BATCH} runs`,
      `select run_id, receipt from queue.workflow_receive(array['flow'], '{"flow": [1]}', ${BATCH})`,
    );
    const held = [ids(runs, "run_id"), ids(runs, "receipt")];
    await explain(`workflow_commit, a step of each of ${BATCH} runs`, COMMIT, [
      ...held,
      "keep",
      "{}",
      1,
    ]);
    await explain(`workflow_commit, the last step and the end of ${BATCH} runs`, COMMIT, [
      ...held,
      "complete",
      "1",
      2,
    ]);
  }
  return texts;
}

await using environment = await prepare();
await fill(environment);
const client = await connectTo(environment.url);
await client.query(`load 'auto_explain';
  set auto_explain.log_analyze = on; set auto_explain.log_buffers = on; set auto_explain.log_wal = on;
  set auto_explain.log_nested_statements = on; set auto_explain.log_level = 'notice';
  set auto_explain.log_parameter_max_length = 0`);
const texts = await sections(new Explainer(client));
await client.end();
writeFileSync(
  new URL("results/plans.md", import.meta.url),
  `# Plans of the hot path\n\n${describeMachine()}; beside ${OTHERS.toLocaleString("en")} other messages or runs, at the second call of a session. Written by \`make bench-plans\`.\n\n${texts.join("\n")}`,
);
