/**
 * examples/nextjs with the packed packages: installed and built as in its README, served by `next start`, and killed in the
 * middle of a step while runs are pushed to it by `oxbow server`.
 */
import axe from "axe-core";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { findFreePort } from "@oxbow/sdk/internal/testing";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findBrowser, openBrowser } from "../helpers/browser.ts";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { listen, registerEndpoint, SIGNING_KEY } from "../helpers/endpoints.ts";
import { eventually, including } from "../helpers/eventually.ts";
import { packPackages } from "../helpers/packages.ts";
import { Tab } from "../helpers/tab.ts";
import { runCommand, Terminal, userEnvironment } from "../helpers/terminal.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/nextjs", import.meta.url));
/** Made by running the example in the repository. */
const MADE = /\/(node_modules|\.next|\.oxbow|\.env\.local|next-env\.d\.ts|package-lock\.json)$/;
const browserPath = findBrowser();
const missing = browserPath === undefined ? ": no Chromium, so set OXBOW_TEST_BROWSER" : "";

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

const directory = mkdtempSync(join(tmpdir(), "oxbow-nextjs-"));
const folder = join(directory, "club");
const env = { ...userEnvironment(), NEXT_TELEMETRY_DISABLED: "1" };
const terminals: Terminal[] = [];
let database: TestDatabase;
let client: WorkflowClient;
let next: Terminal;
let port: number;
let url: string;
let oxbowUrl: string;
let built: string;

beforeAll(async () => {
  chmodSync(directory, 0o755);
  database = await createDatabase();
  client = createWorkflowClient({ url: database.url });
  cpSync(EXAMPLE, folder, { recursive: true, filter: (path) => !MADE.test(path) });
  await install();
  // Before there are variables, as where an image is built.
  built = await runCommand("npm run build", { cwd: folder, env });
  await configure();
  await runCommand("npm run table", { cwd: folder, env });
  await database.query(
    `create table decision (user_id uuid, status text);
     create function note_decision() returns trigger language plpgsql as $$
       begin insert into decision values (new.id, new.status); return new; end $$;
     create trigger note_decision after update on users for each row execute function note_decision()`,
  );
  const server = start("npx oxbow server");
  await server.shows(/^Oxbow serves/m);
  next = await serve();
  await registerEndpoint(database, `${url}/api/oxbow`);
});

afterAll(async () => {
  await client.close();
  await Promise.all(terminals.map((terminal) => terminal.kill()));
  rmSync(directory, { recursive: true, force: true });
});

/** With the packed packages in place of the published ones. */
async function install(): Promise<void> {
  const packed = await packPackages();
  const path = join(folder, "package.json");
  const { dependencies, devDependencies, ...others } = JSON.parse(
    readFileSync(path, "utf8"),
  ) as Manifest;
  const { sdk, react, server, fleet, declared } = packed;
  const manifest = {
    ...others,
    dependencies: { ...dependencies, "@oxbow/sdk": sdk, "@oxbow/react": react },
    devDependencies: {
      ...devDependencies,
      "@oxbow/server": server,
      // The server depends on them.
      "@oxbow/fleet": fleet,
      "@oxbow/declared": declared,
    },
  };
  writeFileSync(path, JSON.stringify(manifest));
  await runCommand("npm install", { cwd: folder, env });
}

/** The variables of the README, for free ports and this database. */
async function configure(): Promise<void> {
  port = await findFreePort();
  const oxbowPort = await findFreePort();
  url = `http://127.0.0.1:${port}`;
  oxbowUrl = `http://127.0.0.1:${oxbowPort}`;
  const values: Record<string, string> = {
    DATABASE_URL: database.url,
    OXBOW_URL: oxbowUrl,
    OXBOW_ALLOWED_ORIGINS: url,
  };
  const given = readFileSync(join(folder, ".env.example"), "utf8").replaceAll(
    /^(\w+)=.*$/gm,
    (line, name: string) => (name in values ? `${name}=${values[name]}` : line),
  );
  const mails = await listen((request, response) => {
    void text(request).then((mail) => accept(mail, response));
  });
  writeFileSync(
    join(folder, ".env.local"),
    `${given}\nOXBOW_SIGNING_KEY=${SIGNING_KEY}\nMAIL_URL=${mails.url}\n`,
  );
  const [, keys = ""] = /^OXBOW_RUN_TOKEN_KEYS=(.*)$/m.exec(given) ?? [];
  Object.assign(env, {
    PORT: String(oxbowPort),
    HOST: "127.0.0.1",
    OXBOW_PUBLIC_URL: oxbowUrl,
    OXBOW_SIGNING_KEY: SIGNING_KEY,
    OXBOW_RUN_TOKEN_KEYS: keys,
    ...values,
  });
}

/** The mail service: what was sent, as "subject to address", in order. */
const sent: string[] = [];
/** Mails that it doesn't answer. */
let isHeld = (_mail: string): boolean => false;

function accept(body: string, response: ServerResponse): void {
  const { to, subject } = JSON.parse(body) as { readonly to: string; readonly subject: string };
  const mail = `${subject} to ${to}`;
  sent.push(mail);
  if (!isHeld(mail)) response.end();
}

const sentAbout = (email: string): string[] =>
  sent.filter((mail) => mail.includes(email)).map((mail) => mail.replaceAll(email, "them"));

function start(command: string): Terminal {
  const terminal = new Terminal(command, { cwd: folder, env });
  terminals.push(terminal);
  return terminal;
}

/** `next start`, on the same port each time. */
async function serve(): Promise<Terminal> {
  const started = start(`npx next start --port ${port} --hostname 127.0.0.1`);
  await started.shows(/Ready in/);
  return started;
}

/** Kills Next.js with all that it has started, and starts it again. */
async function restart(): Promise<void> {
  await next.kill();
  await expect(fetch(url)).rejects.toThrow("fetch failed");
  isHeld = () => false;
  next = await serve();
}

/** Submits the form as a browser without JavaScript does. Returns the path of the user's page, or the page with what is wrong. */
async function signUp(email: string): Promise<{ path: string; status: number; html: string }> {
  const page = await (await fetch(url)).text();
  const form = new FormData();
  for (const [input] of page.matchAll(/<input type="hidden"[^>]*>/g)) {
    const attribute = (name: string): string =>
      unescape(new RegExp(`${name}="([^"]*)"`).exec(input)?.[1] ?? "");
    form.set(attribute("name"), attribute("value"));
  }
  form.set("email", email);
  const response = await fetch(url, { method: "POST", body: form, redirect: "manual" });
  const path = new URL(response.headers.get("location") ?? "/", url).pathname;
  return { path, status: response.status, html: await response.text() };
}

const unescape = (text_: string): string =>
  text_.replaceAll("&quot;", '"').replaceAll("&#x27;", "'").replaceAll("&amp;", "&");

/** The text of a page that the server renders. */
const read = async (path: string): Promise<string> =>
  (await (await fetch(`${url}${path}`)).text())
    .replaceAll(/<script[^]*?<\/script>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");

const reads = (path: string, pattern: RegExp): Promise<string> =>
  eventually(
    () => read(path),
    (shown) => pattern.test(shown),
  );

const counts = async () => {
  const [row] = await database.query<{ users: number }>("select count(*)::int as users from users");
  return { users: row?.users, runs: await client.runs.count({ workflow: "onboard-user" }) };
};

const userOf = async (email: string) => {
  const [user] = await database.query<{ id: string; run_id: string; status: string }>(
    "select * from users where email = $1",
    [email],
  );
  if (user === undefined) throw new Error(`${email} has not signed up.`);
  return user;
};

/** The statuses that its row was given. */
const decisionsOf = async (email: string): Promise<string[]> => {
  const { id } = await userOf(email);
  const rows = await database.query<{ status: string }>(
    "select status from decision where user_id = $1",
    [id],
  );
  return rows.map(({ status }) => status);
};

const until = (email: string, mail: string): Promise<string[]> =>
  eventually(() => sentAbout(email), including(mail));

const RECEIVED = "We have received your request to them";
const ASKED = "May them join? to team@example.com";
const WELCOME = "Welcome! Ada has approved you to them";

describe("the application on Next.js", () => {
  it("is built without variables, with the packages of this version", () => {
    expect(built).toMatch(/ƒ \/api\/oxbow\n[^]*ƒ \/users\/\[id\]/);
    expect(built).not.toMatch(/warn/i);
    const version = (
      JSON.parse(readFileSync(join(EXAMPLE, "../../sdk/package.json"), "utf8")) as {
        version: string;
      }
    ).version;
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(EXAMPLE, "package.json"), "utf8"),
    ) as Manifest;
    const ranges = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
      name.startsWith("@oxbow/"),
    );
    expect(new Set(ranges.map(([, range]) => range))).toEqual(new Set([`^${version}`]));
    expect(readFileSync(join(EXAMPLE, "lib/from-drizzle.ts"), "utf8")).toBe(
      readFileSync(join(EXAMPLE, "../transactions/drizzle.ts"), "utf8"),
    );
    expect(existsSync(join(EXAMPLE, "package-lock.json"))).toBe(false);
  });

  it("answers a server, and shows people a page", async () => {
    const page = await fetch(`${url}/api/oxbow`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("This is an Oxbow endpoint");
    expect((await fetch(`${url}/api/oxbow`, { method: "PUT" })).status).toBe(401);
  });

  it("starts a run with its user, or neither", async () => {
    const { path, status } = await signUp("grace@example.com");
    expect({ path, status }).toMatchObject({
      path: expect.stringMatching(/^\/users\/[\w-]{36}$/),
      status: 303,
    });
    const before = await counts();
    expect(before).toEqual({ users: 1, runs: 1 });
    // The row is refused after the start, ...
    expect((await signUp("grace@example.com")).html).toContain(
      "This address has already signed up.",
    );
    // ... the start is refused, ...
    expect((await signUp("grace at home")).html).toContain("Enter a valid email address.");
    // ... and the commit is refused after both.
    await database.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'full'; end $$;
       create constraint trigger refuse after insert on users deferrable initially deferred
         for each row when (new.email like 'late%') execute function refuse()`,
    );
    expect((await signUp("late@example.com")).status).toBe(500);
    expect(await counts()).toEqual(before);
  });

  it("continues runs after it was killed in the middle of their steps, and repeats no other", async () => {
    const [early, late] = ["second-step@example.com", "fifth-step@example.com"];
    // One is killed in its second step, ...
    isHeld = (mail) =>
      mail === `May ${early} join? to team@example.com` || mail.startsWith("Welcome");
    const { path: earlyPath } = await signUp(early);
    const { path: latePath } = await signUp(late);
    await until(early, ASKED);
    await reads(latePath, /Waiting Confirm the request done Ask the team done/);
    const { run_id: lateRun } = await userOf(late);
    // ... the other one after the transaction of its fourth.
    await client.signal(lateRun, "approved", { by: "Ada" });
    await until(late, WELCOME);
    expect(await read(earlyPath)).toMatch(/Confirm the request done/);
    expect(await userOf(late)).toMatchObject({ status: "member" });
    await restart();
    expect(await read(earlyPath)).toMatch(/Confirm the request done/);
    await reads(earlyPath, /Waiting Confirm the request done Ask the team done/);
    await client.signal((await userOf(early)).run_id, "approved", { by: "Ada" });
    await reads(earlyPath, /Completed .* Welcome to the club\./);
    await reads(latePath, /Completed .* Welcome to the club\./);
    expect(sentAbout(early)).toEqual([RECEIVED, ASKED, ASKED, WELCOME]);
    expect(sentAbout(late)).toEqual([RECEIVED, ASKED, WELCOME, WELCOME]);
    expect(await decisionsOf(early)).toEqual(["member"]);
    expect(await decisionsOf(late)).toEqual(["member"]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("shows no page to those without its link", async () => {
    expect((await fetch(`${url}/users/${crypto.randomUUID()}`)).status).toBe(404);
    expect((await fetch(`${url}/users/1`)).status).toBe(404);
  });
});

describe.skipIf(browserPath === undefined)(`its page${missing}`, () => {
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    browser = await openBrowser(browserPath ?? "");
  });

  /** Opens a tab, whose troubles fail the test. */
  async function open(): Promise<Tab> {
    context = await browser.createBrowserContext();
    const tab = new Tab(await context.newPage(), url, oxbowUrl);
    onTestFinished(async () => {
      await context.close();
      expect(tab.troubles.filter((trouble) => trouble !== "data:,")).toEqual([]);
    });
    return tab;
  }

  it("signs up, shows the run live while Next.js is killed, and approves it", async () => {
    const email = "ada@example.com";
    isHeld = (mail) => mail.startsWith("May");
    const tab = await open();
    await tab.goTo("");
    await tab.fill("Email", email);
    await tab.press("Sign up");
    await tab.shows(
      /ada@example.com\s+Running\s+Confirm the request\s+done\s+Ask the team\s+running/,
    );
    await restart();
    // The page has not been loaded again: it follows the run through the Oxbow server.
    await tab.shows(/Waiting\s+Confirm the request\s+done\s+Ask the team\s+done/);
    await watchStatus(tab);
    const connected = tab.page.waitForResponse((response) => response.url().endsWith("/events"));
    await tab.page.reload();
    await connected;
    await tab.press("Approve");
    await tab.shows(/Completed[^]*Send the decision\s+done\s+Welcome to the club\./);
    expect(await tab.count("button")).toBe(0);
    expect(sentAbout(email)).toEqual([RECEIVED, ASKED, ASKED, WELCOME]);
    expect(await decisionsOf(email)).toEqual(["member"]);
    // The rendering of the server stays until there is news.
    const seen = (await tab.page.evaluate("seen")) as string[];
    expect(seen[0]).toBe("Waiting 2");
    expect(seen).not.toContainEqual(expect.stringMatching(/onnecting/));
    const lengths = seen.map((one) => Number(one.split(" ")[1]));
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    const { violations } = await checkAccess(tab);
    expect(violations).toEqual([]);
    await tab.page.reload();
    await tab.shows(/Completed[^]*Welcome to the club\./);
  });
});

/** Records each status that the next page shows, with the number of its steps. */
const watchStatus = (tab: Tab): Promise<unknown> =>
  tab.page.evaluateOnNewDocument(`
    window.seen = [];
    new MutationObserver(() => {
      const status = document.querySelector(".oxbow-run-status")?.textContent;
      const shown = status + " " + document.querySelectorAll(".oxbow-run-step").length;
      if (status && seen.at(-1) !== shown) seen.push(shown);
    }).observe(document, { subtree: true, childList: true, characterData: true });
  `);

async function checkAccess(tab: Tab): Promise<axe.AxeResults> {
  await tab.page.evaluate(axe.source);
  return (await tab.page.evaluate("axe.run()")) as axe.AxeResults;
}
