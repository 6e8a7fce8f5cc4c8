/**
 * `make demo-declared`: a customer of a product builds an automation by REST, and incidents are paged by it. Each
 * incident pages once, in whichever order it changes and although a worker is killed; the product shows why another one
 * didn't page, and refuses to delete what the automation uses. Exits with 0 only if the database agrees.
 */
import { randomBytes } from "node:crypto";
import { parseTokens, startServer } from "@oxbow/server";
import type pg from "pg";
import { atEnd, perform, sayClaims, serverVersion, startDatabase, until } from "../demo/stage.ts";
import { type Colour, paint, say, table } from "../demo/terminal.ts";
import { Timeline } from "../demo/timeline.ts";
import { WorkerProcess } from "../demo/worker-process.ts";
import { Product, TABLES } from "./app.ts";
import { Automations, type Refusal } from "./automations.ts";
import { pageOnMajor } from "./page-on-major.ts";
import { prove } from "./proof.ts";
import { Rest } from "./rest.ts";
import type { Report } from "./worker.ts";

const WORKER = new URL("worker.ts", import.meta.url);

await perform(demo);

async function demo(): Promise<boolean> {
  say();
  say(paint("bold", "A customer builds an automation"));
  say();
  const timeline = new Timeline();

  const { url, database } = await startDatabase(TABLES);
  timeline.tell("postgres", "dim", `${await serverVersion(database)}, create extension oxbow`);
  await database.query("select queue.protect_resource('CustomField', 'app.custom_field')");
  timeline.tell("product", "blue", "protects its table app.custom_field");

  const automations = new Automations(await startRest(url));
  const product = new Product(database);
  const startWorker = (name: string, colour: Colour): WorkerProcess<Report> => {
    const worker = new WorkerProcess<Report>(WORKER, url, ({ at, text }) =>
      timeline.tell(name, colour, text, at),
    );
    atEnd(() => worker.kill());
    timeline.tell(name, colour, `starts, process ${worker.pid}`);
    return worker;
  };

  const first = startWorker("worker A", "magenta");
  await until("the worker to register its types", () => automations.hasTypes());

  const draft = { ...pageOnMajor, edges: [{ from: "tell", to: "pages" }] };
  const problems = await automations.problems(draft);
  timeline.tell("customer", "cyan", `draws an edge to nowhere: ${problems.join("; ")}`);
  const version = await automations.publish(pageOnMajor);
  timeline.tell("customer", "cyan", `corrects and publishes page-on-major, version ${version}`);

  timeline.tell("product", "blue", "INC-1: the field, then the severity");
  await product.declare("INC-1", "Checkout is down");
  await product.setField("INC-1", "CF7", "production");
  await product.setSeverity("INC-1", "SEV1");
  await until("INC-1 to be paged", () => isPaged(database, "INC-1"));
  await first.kill();
  timeline.tell(
    "SIGKILL",
    "red",
    "worker A dies: the pager has the request, the journal lacks the answer",
  );

  const second = startWorker("worker B", "yellow");
  await until("the run of INC-1 to end", () => automations.hasCompleted(1));

  timeline.tell("product", "blue", "INC-2: the severity, then the field");
  await product.declare("INC-2", "Search is slow");
  await product.setSeverity("INC-2", "SEV2");
  await product.setField("INC-2", "CF7", "production");
  await until("the run of INC-2 to end", () => automations.hasCompleted(2));

  timeline.tell(
    "product",
    "blue",
    "INC-1 changes its name; INC-3 is critical, but not in production",
  );
  await product.rename("INC-1", "Checkout was down");
  await product.declare("INC-3", "The test system is down");
  await product.setSeverity("INC-3", "SEV1");
  const again = await until("the event of INC-1", () =>
    automations.explain(({ name }) => name === "Checkout was down"),
  );
  const missing = await until("the event of INC-3", () =>
    automations.explain(({ id, severity_id }) => id === "INC-3" && severity_id === "SEV1"),
  );

  const owners = await automations.ownersOf("CustomField", "CF7");
  const refusal = await refusalOf(database.query("delete from app.custom_field where id = 'CF7'"));
  timeline.tell("product", "blue", `deletes the field: ${refusal?.message ?? "it is gone"}`);
  await second.stop();
  await timeline.told();

  say();
  say(paint("bold", "Why did INC-3 not page?"));
  say(`${missing.verdict}: ${missing.reason}`);
  table(
    ["condition", "holds", "values"],
    missing.conditions.map(({ text, holds, values }) => [
      text,
      String(holds),
      JSON.stringify(values),
    ]),
  );
  say();
  const hold = sayClaims(
    await prove({ database, problems, again, missing, owners, refusal, killed: first.pid }),
  );
  say();
  return hold;
}

/** A server with a token for the backend of the product. */
async function startRest(url: string): Promise<Rest> {
  const secret = randomBytes(32).toString("hex");
  const server = await startServer({
    url,
    port: 0,
    host: "127.0.0.1",
    tokens: parseTokens(`backend=${secret}:read+define+publish`),
    logger: false,
  });
  atEnd(() => server.stop());
  return new Rest(server.url, secret);
}

async function isPaged(database: pg.Client, incident: string): Promise<true | undefined> {
  const { rowCount } = await database.query("select from app.page where incident_id = $1", [
    incident,
  ]);
  return rowCount === 0 ? undefined : true;
}

/** The error of a statement; undefined if it succeeds. */
async function refusalOf(statement: Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await statement;
    return undefined;
  } catch (error) {
    const { code, message, detail } = error as Refusal;
    return { code, message, detail };
  }
}
