/** The conditions of a move, before anything changes. */
import { InvalidArgument } from "@oxbow/sdk";
import { isMissing, type ShardIdentity } from "@oxbow/sdk/internal/fleet";
import { shardsBeyond } from "../transport/shard-map.ts";
import { mapOf, type Move, type Place, textOf } from "./move.ts";

const MAX_LISTED = 20;

/**
 * The target answers, is no copy, and has the release of the others: otherwise it would learn nothing of its new routes,
 * which no shard would start. It has the FIFO queues of the others, whose groups move with their routes. Of the others,
 * those have to answer that have something to move.
 */
export async function requireReady({
  target,
  sources,
  withRuns,
}: Pick<Move, "target" | "sources" | "withRuns">): Promise<void> {
  const { state } = await identityOf(target);
  const incarnation = await target.transport.fork?.incarnation();
  if (incarnation?.state === "held") {
    throw new InvalidArgument(
      `Shard "${target.name}" is a copy, and held, so nothing has moved: release it first, see \`oxbow shards status\`.`,
    );
  }
  const others = await Promise.allSettled(
    sources.map(async (place) => ({ place, identity: await identityOf(place) })),
  );
  const there = new Set(await fifoQueuesOf(target));
  for (const other of others) {
    if (other.status === "rejected") {
      if (withRuns || other.reason instanceof InvalidArgument) throw other.reason;
    } else if (other.value.identity.state !== state) {
      throw new InvalidArgument(
        `Shards "${target.name}" and "${other.value.place.name}" have different releases of Oxbow, so nothing has moved: run \`oxbow migrate\` for each shard first.`,
      );
    } else await requireQueues(other.value.place, target, there);
  }
}

/** Any shard that is open may have runs of the routes. @throws InvalidArgument that names one whose url is missing */
export async function requireUrls({
  routes,
  target,
  sources,
}: Pick<Move, "routes" | "target" | "sources">): Promise<void> {
  const places = [target, ...sources];
  const maps = await Promise.all(places.map(mapOf));
  const missing = maps
    .flatMap((map) => shardsBeyond(map, places))
    .find(({ isOpen }) => isOpen !== false);
  if (missing === undefined) return;
  throw new InvalidArgument(
    `The fleet has a shard "${missing.name}", which may have runs of the ${textOf(routes)}, so nothing has moved: give the urls of all shards.`,
  );
}

/** Message groups find their queues in the target. @throws InvalidArgument that names one that is missing */
async function requireQueues(
  source: Place,
  target: Place,
  there: ReadonlySet<string>,
): Promise<void> {
  const missing = (await fifoQueuesOf(source)).find(
    (name) => !name.startsWith("__") && !there.has(name),
  );
  if (missing === undefined) return;
  throw new InvalidArgument(
    `Shard "${target.name}" lacks the FIFO queue "${missing}" of shard "${source.name}", so nothing has moved: create it there with the same settings, as a client of the fleet does.`,
  );
}

async function fifoQueuesOf({ transport }: Place): Promise<string[]> {
  const queues = await transport.queues.list();
  return queues.flatMap(({ name, fifo }) => (fifo ? name : []));
}

async function identityOf({ name, shard }: Place): Promise<ShardIdentity> {
  try {
    const identity = await shard.identity();
    if (identity !== undefined) return identity;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new InvalidArgument(
      `Shard "${name}" has an older release of Oxbow, so nothing has moved: run \`oxbow migrate\` with its url first.`,
      { cause: error },
    );
  }
  throw new InvalidArgument(`The database of shard "${name}" is no shard of a fleet.`);
}

/** No run in progress is in the way. @throws InvalidArgument that names them */
export async function requireMovable({ sources, routes, withRuns }: Move): Promise<void> {
  const found = await Promise.allSettled(
    sources.map(async ({ name, shard }) => {
      const kept = await shard.obstacles(routes, withRuns);
      return kept.map(({ runId, problem }) => `run ${runId} of shard "${name}": ${problem}`);
    }),
  );
  const problems = found.flatMap((one) => {
    if (one.status === "fulfilled") return one.value;
    // A home that can't be reached gives nothing away.
    if (withRuns) throw one.reason;
    return [];
  });
  if (problems.length === 0) return;
  throw new InvalidArgument(
    `Runs in progress can't move, so nothing has moved: ${problems.slice(0, MAX_LISTED).join("; ")}. Let them end, or cancel them, and repeat the move. Pause schedules that start others.`,
  );
}

/** All that a shard has can move. @throws InvalidArgument that names what can't */
export async function requireEmptyable({ name, shard }: Place): Promise<void> {
  const [definitions, kept] = await Promise.all([
    shard.activeDefinitions(MAX_LISTED),
    shard.obstacles(undefined, true),
  ]);
  const problems = [
    ...definitions.map((definition) => `definition "${definition}" is not archived`),
    ...kept.map(({ runId, problem }) => `run ${runId}: ${problem}`),
  ];
  if (problems.length === 0) return;
  throw new InvalidArgument(
    `Shard "${name}" has what can't move, so nothing has moved: ${problems.slice(0, MAX_LISTED).join("; ")}. Let runs end, or cancel them, pause schedules that start others, and repeat the command.`,
  );
}
