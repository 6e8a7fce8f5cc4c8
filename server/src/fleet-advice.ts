/** What `oxbow shards status`, `oxbow doctor` and the tool `doctor` report of the shards of a fleet. */
import { maskedUrl } from "@oxbow/declared/net";
import { diagnose, type Finding } from "@oxbow/sdk/internal/server";
import { type NewShard, readFleet, readLags, type ShardStatus } from "@oxbow/fleet/internal";
import { timeAt } from "./fork/source.ts";
import { atLeast } from "./counted-items.ts";
import { messageOf } from "./message-of.ts";

const LARGEST_SKEW_MS = 1_000;
const LONGEST_WAIT_SECONDS = 60;

const ADVICE: Readonly<Record<Exclude<ShardStatus["state"], "joined">, (name: string) => string>> =
  {
    held: (name) =>
      `Shard "${name}" is a copy, and held: no run is received. If it takes the place of its source, run \`oxbow fork release --as live\` with its url: it stays shard "${name}".`,
    alone: (name) =>
      `The database of shard "${name}" is no shard: run \`oxbow shards init\` with all shards, which joins it, also after a release as a sandbox.`,
    behind: (name) =>
      `Shard "${name}" doesn't know where all routes are at home: it learns that by an item, see \`oxbow shards outbox\`. If it was restored, repeat the moves and drains since its backup.`,
    disagrees: (name) =>
      `Shard "${name}" has another map or name than the others: correct the urls in QUEUE_SHARDS. If \`oxbow shards add\`, \`open\`, \`drain\` or \`drain --undo\` was interrupted, repeat it.`,
    unreachable: (name) => `Shard "${name}" can't be reached, or has no Oxbow: check its url.`,
  };

/** Undefined for a shard that works. */
export const adviceFor = ({
  name,
  state,
}: Pick<ShardStatus, "name" | "state">): string | undefined =>
  state === "joined" ? undefined : ADVICE[state](name);

/** The findings of each shard, and what only shows in all of them. */
export async function diagnoseFleet(shards: readonly NewShard[]): Promise<Finding[]> {
  const findings = await Promise.all(shards.map(findingsOf));
  const outboxes = await Promise.all(shards.map(outboxFindings));
  return [
    ...findings.flat(),
    ...(await mapFindings(shards)),
    ...(await clockFindings(shards)),
    ...outboxes.flat(),
  ];
}

/** Items that wait although workers and servers of all shards move them within a second. */
async function outboxFindings(shard: NewShard): Promise<Finding[]> {
  const from = shard.name;
  // Its own findings name a shard that can't be read.
  const lags = await readLags(shard).catch(() => []);
  return lags.flatMap(({ shard: to, items, oldestSeconds, rejected }): Finding[] => [
    ...(oldestSeconds > LONGEST_WAIT_SECONDS
      ? [
          {
            level: "warning" as const,
            text: `${atLeast(items)} items wait in shard "${from}" for "${to}", the oldest for ${Math.round(oldestSeconds)} s: see that shard "${to}" can be reached, and that a worker or server has the urls of both.`,
          },
        ]
      : []),
    ...(rejected > 0
      ? [
          {
            level: "problem" as const,
            text: `Shard "${to}" has rejected ${atLeast(rejected)} items of "${from}": see \`oxbow shards outbox\`.`,
          },
        ]
      : []),
  ]);
}

async function findingsOf({ name, url }: NewShard): Promise<Finding[]> {
  try {
    const found = await diagnose(url);
    return found.map(({ level, text }) => ({ level, text: `Shard "${name}": ${text}` }));
  } catch (error) {
    const text = `Shard "${name}" can't be examined at ${maskedUrl(url)}: ${messageOf(error)}`;
    return [{ level: "problem", text }];
  }
}

async function mapFindings(shards: readonly NewShard[]): Promise<Finding[]> {
  const found = await readFleet(shards);
  const wrong = found.flatMap((shard): Finding[] => {
    // Its own findings name these.
    if (shard.state === "held" || shard.state === "unreachable") return [];
    const text = adviceFor(shard);
    return text === undefined ? [] : [{ level: "problem", text }];
  });
  if (wrong.length > 0 || found.some(({ state }) => state === "unreachable")) return wrong;
  return [{ level: "fine", text: `All ${found.length} shards have the same map.` }];
}

/** Schedules, timers and lists compare times of several shards. */
async function clockFindings(shards: readonly NewShard[]): Promise<Finding[]> {
  const read = await Promise.all(
    shards.map(async ({ name, url }) => ({ name, ...(await aheadOf(url)) })),
  );
  const clocks = read.flatMap(({ name, aheadMs, unsureMs }) =>
    aheadMs === undefined ? [] : [{ name, aheadMs, unsureMs: unsureMs ?? 0 }],
  );
  const [slowest, ...others] = clocks.toSorted((one, other) => one.aheadMs - other.aheadMs);
  const fastest = others.at(-1);
  if (slowest === undefined || fastest === undefined) return [];
  const apartMs = fastest.aheadMs - slowest.aheadMs;
  if (apartMs - fastest.unsureMs - slowest.unsureMs <= LARGEST_SKEW_MS) {
    return [{ level: "fine", text: "The clocks of the shards agree within a second." }];
  }
  const text = `The clock of shard "${fastest.name}" is ${(apartMs / 1_000).toFixed(1)} s ahead of that of shard "${slowest.name}", so lists are out of order: synchronize the clocks of the servers.`;
  return [{ level: "warning", text }];
}

interface Clock {
  /** How far it is ahead of ours, or nothing if it can't be read. */
  readonly aheadMs?: number;
  readonly unsureMs?: number;
}

async function aheadOf(url: string): Promise<Clock> {
  try {
    const askedAt = Date.now();
    const time = await timeAt(url);
    const unsureMs = (Date.now() - askedAt) / 2;
    return { aheadMs: time.getTime() - askedAt - unsureMs, unsureMs };
  } catch {
    return {};
  }
}
