/** `oxbow shards`: several databases as the shards of one fleet. */
import { migrate, type Transport } from "@oxbow/sdk/internal/server";
import {
  connect,
  initFleet,
  type InitializedFleet,
  moveRoutes,
  moveRun,
  type NewShard,
  readFleet,
  readOutbox,
  repeatItems,
  type Routes,
  type ShardOutbox,
} from "@oxbow/fleet/internal";
import type { Command } from "commander";
import { atLeast } from "../../counted-items.ts";
import { EXIT, usageError } from "../exit-codes.ts";
import { adviceFor } from "../../fleet-advice.ts";
import { printJson, printRows, remark } from "../output.ts";
import { addJoiningCommands } from "./shards-add.ts";
import { toShards } from "./shard-urls.ts";
import { type CheckpointArguments, takeCheckpoint } from "./shards-checkpoint.ts";
import { drain, type DrainArguments } from "./shards-drain.ts";
import { reportTrouble, runsText, showMoving } from "./shards-progress.ts";

interface ShardsArguments {
  readonly json?: boolean;
}

interface OutboxArguments extends ShardsArguments {
  readonly repeat?: boolean;
}

export function addShardsCommand(program: Command): void {
  const command = program
    .command("shards")
    .description("make databases the shards of a fleet, and show what is at home where");
  command
    .command("init")
    .description(
      "make databases the shards of a fleet: the first may have runs already, the others are new",
    )
    .argument("[shards...]", "name=postgres://... of each shard (default: QUEUE_SHARDS)")
    .option("--json", "print JSON")
    .action(async (given: string[], { json }: ShardsArguments) => {
      const shards = toShards(given);
      for (const { url } of shards) await migrate(url);
      const fleet = await initFleet(shards);
      if (json === true) printJson(fleet);
      else showInitialized(fleet);
    });
  addJoiningCommands(command);
  command
    .command("status")
    .description("show the shards, their share of routes, and whether they agree about the map")
    .argument("[shards...]", "name=postgres://... of each shard (default: QUEUE_SHARDS)")
    .option("--json", "print JSON")
    .action(async (given: string[], { json }: ShardsArguments) => {
      const found = await readFleet(toShards(given));
      if (json === true) printJson(found);
      else {
        printRows(
          found.map(({ name, state, slots, pins, blocks, isDraining }) => ({
            SHARD: name,
            STATE: state === "joined" && isDraining ? "draining" : state,
            SLOTS: `${slots}/1024`,
            PINS: String(pins),
            BLOCKS: blocks.join(","),
          })),
        );
      }
      for (const shard of found) {
        const advice = adviceFor(shard);
        if (advice !== undefined) remark(advice);
      }
      if (found.some(({ state }) => state !== "joined")) process.exitCode = EXIT.failed;
    });
  command
    .command("move")
    .description(
      "move a run, or all runs of a route or of slots, to another shard, with the runs that they have invoked",
    )
    .argument("[shards...]", "name=postgres://... of each shard (default: QUEUE_SHARDS)")
    .option("--run <id>", "id of the run")
    .option("--route <route>", "route, such as a tenant: it starts there from then on")
    .option("--slots <range>", "slots of routes, 0 to 1023, like 0-127")
    .requiredOption("--to <shard>", "name of the shard")
    .option("--now", "take runs from their workers, which may call a callback again")
    .action(async (given: string[], options: MoveArguments) => {
      const { run, route, slots, to, now } = options;
      if ([run, route, slots].filter((one) => one !== undefined).length !== 1) {
        throw usageError("Give one of --run, --route and --slots.");
      }
      if (run !== undefined) await moveOne(toShards(given), { run, to, now: now === true });
      else await moveAll(toShards(given), toRoutes(route, slots), options);
    });
  command
    .command("pin")
    .description(
      "make a shard the home of a route: new runs start there, those that exist stay where they are",
    )
    .argument("<route>", "such as a tenant")
    .argument("[shards...]", "name=postgres://... of each shard (default: QUEUE_SHARDS)")
    .requiredOption("--to <shard>", "name of the shard")
    .action(async (route: string, given: string[], { to }: { readonly to: string }) => {
      await moveAll(toShards(given), { route }, { to, withRuns: false });
    });
  command
    .command("drain")
    .description(
      "move all that a shard has to the others, and start nothing there that has no home",
    )
    .argument("<shard>", "name of the shard")
    .argument("[shards...]", "name=postgres://... of each shard (default: QUEUE_SHARDS)")
    .option(
      "--to <shard>",
      "name of the shard that takes over (default: the others, in even parts)",
    )
    .option("--now", "take runs from their workers, which may call a callback again")
    .option("--undo", "end it: starts without a home go there again")
    .action(async (shard: string, given: string[], options: DrainArguments) => {
      await overFleet(toShards(given), (transport) => drain(transport, shard, options));
    });
  command
    .command("checkpoint")
    .description(
      "create a restore point in each shard, to which all of them can be restored together: items between them wait for it",
    )
    .argument("[shards...]", "name=postgres://... of each shard (default: QUEUE_SHARDS)")
    .option("--name <name>", "of the restore points, a new one (default: oxbow- and the time)")
    .option("--by-time", "instead, hold items for a full second, to which shards can be restored")
    .option(
      "--run <command>",
      "instead, execute a command that takes at most 30 seconds, such as one that makes snapshots",
    )
    .option("--json", "print JSON")
    .action(async (given: string[], options: CheckpointArguments) => {
      await overFleet(toShards(given), (transport) => takeCheckpoint(transport, options));
    });
  command
    .command("outbox")
    .description("show what waits in the shards for each other, and what was rejected")
    .argument("[shards...]", "name=postgres://... of each shard (default: QUEUE_SHARDS)")
    .option("--repeat", "send rejected items again, once their cause is removed")
    .option("--json", "print JSON")
    .action(async (given: string[], { json, repeat }: OutboxArguments) => {
      const shards = toShards(given);
      if (repeat === true) await repeatAll(shards);
      const outboxes = await Promise.all(shards.map(readOutbox));
      if (json === true) printJson(outboxes);
      else showOutboxes(outboxes);
      if (outboxes.some(({ rejected }) => rejected.length > 0)) process.exitCode = EXIT.failed;
    });
}

interface MoveArguments {
  readonly run?: string;
  readonly route?: string;
  readonly slots?: string;
  readonly to: string;
  readonly now?: boolean;
}

async function moveOne(
  shards: readonly NewShard[],
  { run, to, now }: { readonly run: string; readonly to: string; readonly now: boolean },
): Promise<void> {
  await overFleet(shards, async (transport) => {
    const hasMoved = await moveRun(transport, {
      runId: run,
      target: to,
      endsLeases: now,
      onAsked: () => {
        remark(`Run ${run} is paused, and moves when its worker gives it back.`);
      },
      onTrouble: reportTrouble,
    });
    remark(hasMoved ? `Run ${run} has moved to "${to}".` : `Run ${run} is in "${to}" already.`);
  });
}

async function moveAll(
  shards: readonly NewShard[],
  routes: Routes,
  { to, now, withRuns = true }: Pick<MoveArguments, "to" | "now"> & { readonly withRuns?: boolean },
): Promise<void> {
  await overFleet(shards, async (transport) => {
    const moved = await moveRoutes(transport, {
      routes,
      target: to,
      withRuns,
      endsLeases: now === true,
      ...showMoving(),
    });
    const what = "route" in routes ? `Route "${routes.route}" is` : "The slots are";
    remark(`${what} at home in "${to}".`);
    if (withRuns) remark(runsText(moved));
  });
}

function toRoutes(route: string | undefined, slots: string | undefined): Routes {
  if (route !== undefined) return { route };
  const [, first = "", last = first] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(slots ?? "") ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (first === "" || from > to || to > 1023) {
    throw usageError(`Invalid slots "${slots}": give a range of 0 to 1023, like 0-127.`);
  }
  return { slots: Array.from({ length: to - from + 1 }, (_, index) => from + index) };
}

async function overFleet(
  shards: readonly NewShard[],
  use: (transport: Transport) => Promise<void>,
): Promise<void> {
  const transport = connect({
    shards: Object.fromEntries(shards.map(({ name, url }) => [name, url])),
    maxConnections: 2,
  });
  try {
    await use(transport);
  } finally {
    await transport.close();
  }
}

async function repeatAll(shards: ReturnType<typeof toShards>): Promise<void> {
  const counts = await Promise.all(shards.map(repeatItems));
  const sum = counts.reduce((all, count) => all + count, 0);
  remark(`Items that are sent again: ${sum}.`);
}

function showOutboxes(outboxes: readonly ShardOutbox[]): void {
  printRows(
    outboxes.flatMap(({ name, lags }) =>
      lags.map(({ shard, items, oldestSeconds, rejected }) => ({
        FROM: name,
        TO: shard,
        ITEMS: atLeast(items),
        OLDEST: `${Math.round(oldestSeconds)}s`,
        REJECTED: atLeast(rejected),
      })),
    ),
  );
  for (const { name, rejected } of outboxes) {
    for (const { id, shard, kind, problem } of rejected) {
      remark(`Item ${id} from "${name}" to "${shard}", ${kind}: ${problem}`);
    }
  }
}

function showInitialized({ map, joined, keptSlots }: InitializedFleet): void {
  if (joined.length === 0) remark("All of them were in the fleet already.");
  const [first] = map.shards;
  if (keptSlots > 0) {
    remark(
      `${keptSlots} of 1024 slots stay in "${first?.name}", which has keys, groups or schedules in them.`,
    );
  }
  printRows(
    map.shards.map(({ name, number, blocks }) => ({
      SHARD: name,
      JOINED: joined.includes(name) ? "now" : "before",
      SLOTS: `${map.slots.filter((slot) => slot === number).length}/1024`,
      BLOCKS: blocks.join(","),
    })),
  );
}
