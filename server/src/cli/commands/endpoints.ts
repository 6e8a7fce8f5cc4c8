/** `oxbow endpoints`: urls of functions to which servers push runs. */
import type { Endpoint, WorkflowClient } from "@oxbow/sdk";
import { parseDuration } from "@oxbow/sdk/internal/server";
import type { Command } from "commander";
import { setTimeout as delay } from "node:timers/promises";
import { confirm } from "../confirm.ts";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { CommandFailure, conflict, EXIT } from "../exit-codes.ts";
import { printJson, printJsonLine, printTable, remark, style } from "../output.ts";
import { showTime } from "../show.ts";
import { duration, wholeNumber } from "../values.ts";

const LOOK_EVERY_MS = 200;

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
  addPauseCommands(endpoints);
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
        if (options.json !== true) console.log(`Added endpoint ${added.endpointId}: ${url}`);
        return afterCheck(client, added, options);
      });
      report(checked, options);
    });
}

function addSyncCommand(endpoints: Command): void {
  withCheck(endpoints.command("sync"))
    .description("check what an endpoint serves, as after a deployment")
    .argument("<endpoint>", "id or url")
    .action(async (which: string, options: CheckOptions) => {
      const checked = await withClient(options, async (client) => {
        const id = await idOf(client, which);
        return afterCheck(client, await client.endpoints.sync(id), options);
      });
      report(checked, options);
    });
}

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
  const giveUpAt = performance.now() + parseDuration(wait, "--wait");
  let endpoint = before;
  while (performance.now() < giveUpAt) {
    endpoint = await client.endpoints.get(before.endpointId);
    const isChecked =
      endpoint.checkedAt?.getTime() !== before.checkedAt?.getTime() ||
      endpoint.failedAt?.getTime() !== before.failedAt?.getTime();
    if (isChecked) return { endpoint, isChecked };
    await delay(LOOK_EVERY_MS);
  }
  return { endpoint, isChecked: false };
}

/** Prints what the endpoint serves, or fails with the reason why that is unknown. */
function report({ endpoint, isChecked }: Checked, { json, wait }: CheckOptions): void {
  const { endpointId: id, lastError } = endpoint;
  if (json === true) printJson(endpoint);
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
    printTable(
      ["WORKFLOW", "VERSIONS"],
      served.map(([name, versions]) => [name, versions.join(", ")]),
    );
  }
}

function addListCommand(endpoints: Command): void {
  withConnection(endpoints.command("list"))
    .description("list endpoints, newest first")
    .action(async (options: ConnectionOptions) => {
      const found = await withClient(options, (client) => client.endpoints.list());
      if (options.json === true) return found.forEach(printJsonLine);
      if (found.length === 0) return remark("No endpoints. Add one: oxbow endpoints add <url>");
      printTable(
        ["ENDPOINT", "URL", "SERVES", "CONCURRENCY", "CHECKED", "STATE"],
        found.map((endpoint) => [
          endpoint.endpointId,
          endpoint.url,
          Object.entries(endpoint.serves)
            .map(([name, versions]) => `${name} (${versions.join(", ")})`)
            .join(", "),
          endpoint.concurrency,
          showTime(endpoint.checkedAt),
          stateOf(endpoint),
        ]),
      );
    });
}

function stateOf({ isPaused, lastError, checkedAt }: Endpoint): string {
  if (isPaused) return style("yellow", "paused");
  if (lastError !== null) return style("red", lastError);
  return checkedAt === null ? "not checked yet" : "on";
}

function addPauseCommands(endpoints: Command): void {
  withConnection(endpoints.command("pause"))
    .description("pause an endpoint; its versions go to the next newest that serves them")
    .argument("<endpoint>", "id or url")
    .action(async (which: string, options: ConnectionOptions) => {
      const { id, isChanged } = await withClient(options, async (client) => {
        const found = await idOf(client, which);
        return { id: found, isChanged: await client.endpoints.pause(found) };
      });
      if (options.json === true) printJson({ endpoint: id, changed: isChanged });
      if (!isChanged) throw conflict("NOT_CHANGED", `Endpoint ${id} is already paused.`);
      if (options.json !== true) console.log(`Paused endpoint ${id}.`);
    });
  withConnection(endpoints.command("resume"))
    .description("resume a paused endpoint")
    .argument("<endpoint>", "id or url")
    .action(async (which: string, options: ConnectionOptions) => {
      const { id, isChanged } = await withClient(options, async (client) => {
        const found = await idOf(client, which);
        return { id: found, isChanged: await client.endpoints.resume(found) };
      });
      if (options.json === true) printJson({ endpoint: id, changed: isChanged });
      if (!isChanged) throw conflict("NOT_CHANGED", `Endpoint ${id} is not paused.`);
      if (options.json !== true) console.log(`Resumed endpoint ${id}.`);
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
      else console.log(`Removed endpoint ${id}.`);
    });
}

/** The id that was given, or that of the url that was given. */
async function idOf(client: WorkflowClient, which: string): Promise<string> {
  if (!/^https?:/i.test(which)) return which;
  const found = (await client.endpoints.list()).find(({ url }) => url === which);
  if (found !== undefined) return found.endpointId;
  throw new CommandFailure(
    EXIT.notFound,
    "ENDPOINT_NOT_FOUND",
    `No endpoint has the url ${which}. \`oxbow endpoints list\` lists all endpoints.`,
  );
}
