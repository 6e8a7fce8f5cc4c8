/** `oxbow endpoints`: urls of functions to which servers push runs. */
import type { Endpoint, WorkflowClient } from "@oxbow/sdk";
import { parseDuration } from "@oxbow/sdk/internal/server";
import type { Command } from "commander";
import { untilChecked } from "../../endpoint-check.ts";
import { confirm } from "../confirm.ts";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { CommandFailure, conflict, EXIT, notFound, usageError } from "../exit-codes.ts";
import { printJson, printList, printRows, printText, remark, style } from "../output.ts";
import { showTime } from "../show.ts";
import { duration, wholeNumber } from "../values.ts";

interface CheckOptions extends ConnectionOptions {
  readonly wait: string;
}

export function addEndpointsCommands(program: Command): void {
  const endpoints = program
    .command("endpoints")
    .description("add, list, check, pause and remove functions to which servers push runs");
  addAddCommand(endpoints);
  addListCommand(endpoints);
  addSyncCommand(endpoints);
  for (const each of SWITCHES) addSwitchCommand(endpoints, each);
  addRemoveCommand(endpoints);
}

function addAddCommand(endpoints: Command): void {
  withCheck(endpoints.command("add"))
    .description("add an endpoint, and wait until a server has checked it")
    .argument("<url>", "url of the function, http(s)://...")
    .option(
      "--concurrency <number>",
      "how many runs one server pushes to it at a time",
      wholeNumber("--concurrency"),
      20,
    )
    .action(async (url: string, options: CheckOptions & { readonly concurrency: number }) => {
      const { concurrency } = options;
      const checked = await withClient(options, async (client) => {
        const added = await client.endpoints.add(url, { concurrency });
        if (options.json !== true) printText(`Added endpoint ${added.endpointId}: ${url}`);
        return afterCheck(client, added, options);
      });
      report(checked, options);
    });
}

function addSyncCommand(endpoints: Command): void {
  withCheck(endpoints.command("sync"))
    .description("check what an endpoint serves, as after a deployment")
    .argument("<endpoint>", "id or url")
    .option(
      "--replaces <endpoint>",
      "id or url of an older one: remove it if the checked one serves all of its versions",
    )
    .action(async (which: string, options: CheckOptions & { readonly replaces?: string }) => {
      await withClient(options, async (client) => {
        const id = await idOf(client, which);
        const { replaces } = options;
        const old = replaces === undefined ? undefined : await olderThan(client, id, replaces);
        const checked = await afterCheck(client, await client.endpoints.sync(id), options);
        if (old === undefined || !hasSucceeded(checked)) {
          report(checked, options);
          return;
        }
        const replaced = await replace(client, old, checked.endpoint);
        report(checked, options, { replaces: replaced });
        if (options.json !== true) printText(sentenceOf(replaced));
      });
    });
}

/** The id of the endpoint to replace, which must exist before anything is checked. */
async function olderThan(client: WorkflowClient, id: string, which: string): Promise<string> {
  const { endpointId } = await client.endpoints.get(await idOf(client, which));
  if (endpointId !== id) return endpointId;
  throw usageError(`Invalid --replaces "${which}": it is the endpoint that is checked.`);
}

interface Replaced {
  readonly endpoint: string;
  readonly url: string;
  readonly removed: boolean;
  /** Versions by workflow that only the old endpoint serves. */
  readonly missing: Readonly<Record<string, readonly number[]>>;
}

/** Removes the old endpoint, unless runs of a version that only it serves would then wait. */
async function replace(client: WorkflowClient, oldId: string, by: Endpoint): Promise<Replaced> {
  const { url, serves } = await client.endpoints.get(oldId);
  const missing = Object.fromEntries(
    Object.entries(serves)
      .map(([name, versions]) => {
        const served = new Set(by.serves[name]);
        return [name, versions.filter((version) => !served.has(version))] as const;
      })
      .filter(([, versions]) => versions.length > 0),
  );
  const removed = Object.keys(missing).length === 0;
  if (removed) await client.endpoints.remove(oldId);
  return { endpoint: oldId, url, removed, missing };
}

const sentenceOf = ({ endpoint, url, removed, missing }: Replaced): string =>
  removed
    ? `Removed endpoint ${endpoint}, ${url}.`
    : `Kept endpoint ${endpoint}, ${url}: only it serves ${servedText(missing)}.`;

const servedText = (serves: Readonly<Record<string, readonly number[]>>): string =>
  Object.entries(serves)
    .map(([name, versions]) => `${name} (${versions.join(", ")})`)
    .join(", ");

const withCheck = (command: Command): Command =>
  withConnection(command).option(
    "--wait <duration>",
    "how long to wait for the check",
    duration("--wait"),
    "15s",
  );

interface Checked {
  readonly endpoint: Endpoint;
  readonly isChecked: boolean;
}

/** Waits until a server has checked the endpoint, or the time is over. */
async function afterCheck(
  client: WorkflowClient,
  before: Endpoint,
  { wait }: CheckOptions,
): Promise<Checked> {
  const after = await untilChecked(client, before, parseDuration(wait, "--wait"));
  return { endpoint: after ?? before, isChecked: after !== undefined };
}

const hasSucceeded = ({ endpoint, isChecked }: Checked): boolean =>
  isChecked && endpoint.lastError === null;

/**
 * Prints what the endpoint serves, or fails with the reason why that is unknown.
 *
 * @param more Added to the JSON.
 */
function report(
  { endpoint, isChecked }: Checked,
  { json, wait }: CheckOptions,
  more: { readonly replaces?: Replaced } = {},
): void {
  const { endpointId: id, lastError } = endpoint;
  if (json === true) printJson({ ...endpoint, ...more });
  if (!isChecked) {
    throw new CommandFailure(
      EXIT.timedOut,
      "NOT_CHECKED",
      `No server has checked endpoint ${id} within ${wait}. A server with OXBOW_SIGNING_KEY has to run on this database: \`oxbow server\`. It checks the endpoint when it starts.`,
    );
  }
  if (lastError !== null) {
    throw new CommandFailure(
      EXIT.failed,
      "CHECK_FAILED",
      `The check of endpoint ${id} failed: ${lastError}\nServers repeat it each minute; after a correction, \`oxbow endpoints sync ${id}\` does so at once.`,
    );
  }
  if (json === true) return;
  const served = Object.entries(endpoint.serves);
  if (served.length === 0) remark(`Endpoint ${id} serves no workflows.`);
  else {
    printRows(
      served.map(([name, versions]) => ({ WORKFLOW: name, VERSIONS: versions.join(", ") })),
    );
  }
}

function addListCommand(endpoints: Command): void {
  withConnection(endpoints.command("list"))
    .description("list endpoints, newest first")
    .action(async (options: ConnectionOptions) => {
      const found = await withClient(options, (client) => client.endpoints.list());
      printList(found, options, {
        none: "No endpoints. Add one: oxbow endpoints add <url>",
        row: (endpoint) => ({
          ENDPOINT: endpoint.endpointId,
          URL: endpoint.url,
          SERVES: servedText(endpoint.serves),
          CONCURRENCY: endpoint.concurrency,
          CHECKED: showTime(endpoint.checkedAt),
          STATE: stateOf(endpoint),
        }),
      });
    });
}

function stateOf({ isPaused, lastError, checkedAt }: Endpoint): string {
  if (isPaused) return style("yellow", "paused");
  if (lastError !== null) return style("red", lastError);
  return checkedAt === null ? "not checked yet" : "on";
}

/** A change that an endpoint may have already. */
interface Switch {
  readonly verb: "pause" | "resume";
  readonly description: string;
  readonly done: string;
  /** Why nothing has changed. */
  readonly refused: string;
}

const SWITCHES: readonly Switch[] = [
  {
    verb: "pause",
    description: "pause an endpoint; its versions go to the next newest that serves them",
    done: "Paused",
    refused: "is already paused",
  },
  {
    verb: "resume",
    description: "resume a paused endpoint",
    done: "Resumed",
    refused: "is not paused",
  },
];

function addSwitchCommand(endpoints: Command, { verb, description, done, refused }: Switch): void {
  withConnection(endpoints.command(verb))
    .description(description)
    .argument("<endpoint>", "id or url")
    .action(async (which: string, options: ConnectionOptions) => {
      const { id, isChanged } = await withClient(options, async (client) => {
        const found = await idOf(client, which);
        return { id: found, isChanged: await client.endpoints[verb](found) };
      });
      if (options.json === true) printJson({ endpoint: id, changed: isChanged });
      if (!isChanged) throw conflict("NOT_CHANGED", `Endpoint ${id} ${refused}.`);
      if (options.json !== true) printText(`${done} endpoint ${id}.`);
    });
}

function addRemoveCommand(endpoints: Command): void {
  withConnection(endpoints.command("remove"))
    .description("remove an endpoint; runs that were pushed to it continue")
    .argument("<endpoint>", "id or url")
    .option("--yes", "remove without asking")
    .action(async (which: string, options: ConnectionOptions & { readonly yes?: boolean }) => {
      const id = await withClient(options, async (client) => {
        const { endpointId, url } = await client.endpoints.get(await idOf(client, which));
        await confirm(`Remove endpoint ${endpointId}, ${url}`, options.yes);
        await client.endpoints.remove(endpointId);
        return endpointId;
      });
      if (options.json === true) printJson({ endpoint: id, removed: true });
      else printText(`Removed endpoint ${id}.`);
    });
}

/** The id that was given, or that of the url that was given. */
async function idOf(client: WorkflowClient, which: string): Promise<string> {
  if (!/^https?:/i.test(which)) return which;
  const found = (await client.endpoints.list()).find(({ url }) => url === which);
  if (found !== undefined) return found.endpointId;
  throw notFound(
    "ENDPOINT_NOT_FOUND",
    `No endpoint has the url ${which}. \`oxbow endpoints list\` lists all endpoints.`,
  );
}
