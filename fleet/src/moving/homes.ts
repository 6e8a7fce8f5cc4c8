/**
 * Where routes are at home, while they move: the shards that have them give them to the target, which learns it by an item,
 * as do the others.
 *
 * Each shard judges by its own map, and one that was restored may not know the latest: so every shard that takes itself for
 * the home is asked to give, and what a shard lacks is sent again.
 *
 * Promises:
 *   N1  Of the homes that shards know of a route or slot, the one of the latest version of the map counts, whichever shard
 *       knows it.
 *   N2  Every shard that takes itself for the home is asked to give it, the latest first: it has the keys. Only a shard that
 *       has answered in this look is asked.
 *   N3  `giveHomes` returns only once the target is the latest home of each route and slot. It rejects if another move has
 *       made a home elsewhere that is later than what this one has given.
 *   N4  A latest home that can't be reached ends the move: only it can give, and its keys would stay behind.
 *   N5  What a shard has answered counts until it answers again: the shard that has just given its home may be the only one
 *       that knows.
 *   N6  A shard gives only once what it had sent to the target before has been delivered, so that the home doesn't queue
 *       behind it while no shard starts the routes.
 *   N7  The target hears of its homes from their giver, behind the keys. From another shard it hears only once nothing is on
 *       its way to it.
 *   N8  `untilKnown` returns only once the target knows its homes, and with runs every shard; each of them has answered.
 *       It rejects if another shard is the latest home by then.
 *   N9  What a shard lacks is sent again every few seconds, by the shard that knows the most of the latest versions.
 *   N10 Shards that contradict each other for a minute end the move, with what each of them knows.
 */
import { InvalidArgument, WrongShard } from "@oxbow/sdk";
import { isLockTimeout } from "@oxbow/sdk/internal/fleet";
import { homesIn, type KnownHome } from "../transport/shard-map.ts";
import { untilDelivered } from "./deliveries.ts";
import { type Delivery, mapOf, type Move, type Place, textOf, Waiting } from "./move.ts";

/** For how long a shard may accept nothing before it gets a home. */
const DELIVERY_PATIENCE_MS = 30_000;
/** For how long shards may contradict each other: an item takes milliseconds. */
const PATIENCE_MS = 60_000;
/** After which time what a shard does not know is sent again. */
const REPEAT_MS = 5000;

interface HomeMove extends Move {
  readonly deliver: Delivery;
}

/** The homes that a shard knows: of the route, or of each slot. */
export interface View {
  readonly homes: readonly KnownHome[];
}

interface Knowledge extends View {
  readonly place: Place;
  /** False: it has answered before, but not this time. */
  readonly isNew: boolean;
}

/**
 * The last answers of the shards of a move. One that doesn't answer for a moment must not look as if it had not heard: the
 * shard that has just given its home may be the only one that knows.
 */
type Answers = Map<Place, Knowledge>;

/**
 * Makes the target the home of the routes, until it knows that, and all shards whose runs move there.
 *
 * @throws InvalidArgument if another move is faster; ConnectionFailed if one of these shards can't be reached
 */
export async function moveHomes(move: HomeMove): Promise<void> {
  const answers: Answers = new Map();
  await giveHomes(move, answers);
  await untilKnown(move, answers);
}

/** Until the target is the latest home of the routes. */
async function giveHomes(move: HomeMove, answers: Answers): Promise<void> {
  const { routes, target } = move;
  const waiting = new Waiting(move);
  let isFirst = true;
  /** The version of the map since which the routes were where they have left; undefined if nothing has left. */
  let given: number | undefined;
  for (;;) {
    const known = await readAll(move, answers);
    const elsewhere = latestOf(known).filter(({ home }) => home !== target.name);
    // N4
    await requireAnswers(move, known, elsewhere);
    const givers = giversOf(move, known, elsewhere);
    // The target has all of them already, but another shard that was restored may not know it, so it hears of them again.
    if (isFirst && elsewhere.length === 0 && hasHeard(move, known)) {
      givers.push(...tellerOf(move, known));
    }
    isFirst = false;
    for (const giver of givers) {
      if (await give(move, giver)) given = Math.max(given ?? 0, ...elsewhere.map(sinceOf));
    }
    if (givers.length > 0) continue;
    const [other] = elsewhere;
    // N3
    if (other === undefined) return;
    const later = given === undefined ? undefined : laterThan(given, elsewhere);
    if (later !== undefined) throw overtaken(move, later.home);
    // N10
    if (waiting.ms > PATIENCE_MS) await giveUp(move, known);
    await waiting.rest(`shard "${other.home}" has to hear that it has the ${textOf(routes)}`);
  }
}

/** The other shards that take themselves for a home (N2). A later one than the others has the keys; another was restored. */
function giversOf(
  { target }: Move,
  known: readonly Knowledge[],
  latest: readonly KnownHome[],
): Place[] {
  const isLatest = ({ name }: Place): boolean => latest.some(({ home }) => home === name);
  return known
    .filter(({ place, homes, isNew }) => isNew && homes.some(({ home }) => home === place.name))
    .map(({ place }) => place)
    .filter((place) => place !== target)
    .toSorted((one, other) => Number(isLatest(other)) - Number(isLatest(one)));
}

/** The target, or another shard that knows it is the home: the one that knows the most of the latest versions (N9). */
function tellerOf({ target }: Move, known: readonly Knowledge[]): Place[] {
  const latest = latestOf(known);
  const countOf = ({ homes }: Knowledge): number =>
    homes.filter(({ since }, at) => since === latest[at]?.since).length;
  return known
    .filter((one) => knows(one, target))
    .toSorted((one, other) => countOf(other) - countOf(one))
    .slice(0, 1)
    .map(({ place }) => place);
}

/**
 * Asks a shard to give the routes to the target, or to announce again that it has them.
 *
 * @param informsTarget Announces it to the target too, once nothing is on its way there.
 * @returns false if another move was faster
 */
async function give(move: HomeMove, giver: Place, informsTarget = false): Promise<boolean> {
  const { routes, target, deliver } = move;
  const { name, shard } = giver;
  const waiting = new Waiting(move);
  for (let after: string | null = "0"; after !== null;) {
    try {
      if (giver !== target) {
        // The home must not queue behind keys (N6): until it arrives, no shard starts the routes.
        await untilDelivered(move, giver, target, DELIVERY_PATIENCE_MS);
        await target.shard.identity();
      }
      after = await shard.giveHome(routes, target.name, after, informsTarget);
    } catch (error) {
      if (error instanceof WrongShard && typeof error.facts["home"] === "string") return false;
      if (!isLockTimeout(error)) throw error;
      await waiting.rest(`shard "${name}" still has the ${textOf(routes)}: ${String(error)}`);
    }
  }
  // Starts of the routes wait for it.
  if (giver !== target) await deliver(giver, target);
  return true;
}

async function untilKnown(move: HomeMove, answers: Answers): Promise<void> {
  const { routes, target, withRuns } = move;
  const waiting = new Waiting(move);
  let sentAt = performance.now();
  for (;;) {
    const known = await readAll(move, answers);
    const elsewhere = latestOf(known).find(({ home }) => home !== target.name);
    if (elsewhere !== undefined) throw overtaken(move, elsewhere.home);
    // N8
    const needed = withRuns ? known : known.filter(({ place }) => place === target);
    const unaware = needed.find((one) => !knows(one, target));
    if (unaware === undefined) {
      const silent = silentIn(known, withRuns ? [target, ...move.sources] : [target]);
      if (silent.length === 0) return;
      await Promise.all(silent.map(({ shard }) => shard.map()));
      continue;
    }
    if (waiting.ms > PATIENCE_MS) await giveUp(move, known);
    if (performance.now() > sentAt + REPEAT_MS) {
      sentAt = performance.now();
      if (await mayTell(move, known)) {
        for (const teller of tellerOf(move, known)) await give(move, teller, true);
      }
    }
    await waiting.rest(
      `shard "${unaware.place.name}" has to hear that "${target.name}" has the ${textOf(routes)}`,
    );
  }
}

/**
 * Whether the target knows its homes, or nothing is on its way there any more. Otherwise it must not hear of them from
 * another shard (N7): the keys of the routes come from the shard that gave them, in front of the home, and without them the
 * target would start runs whose keys others have.
 */
async function mayTell(move: Move, known: readonly Knowledge[]): Promise<boolean> {
  if (hasHeard(move, known)) return true;
  const { sources, target } = move;
  for (const source of sources) await untilDelivered(move, source, target, DELIVERY_PATIENCE_MS);
  return !knows({ homes: homesIn(await mapOf(target), move.routes) }, target);
}

const hasHeard = ({ target }: Move, known: readonly Knowledge[]): boolean =>
  known.some((one) => one.place === target && knows(one, target));

const laterThan = (version: number, homes: readonly KnownHome[]): KnownHome | undefined =>
  homes.find(({ since }) => since > version);

const sinceOf = ({ since }: KnownHome): number => since;

const knows = ({ homes }: View, { name }: Place): boolean =>
  homes.every(({ home }) => home === name);

/** Reads all shards. One that doesn't answer keeps its last answer (N5). */
async function readAll({ sources, target, routes }: Move, answers: Answers): Promise<Knowledge[]> {
  for (const [place, knowledge] of answers) answers.set(place, { ...knowledge, isNew: false });
  await Promise.allSettled(
    [target, ...sources].map(async (place) => {
      const homes = homesIn(await mapOf(place), routes);
      answers.set(place, { place, homes, isNew: true });
    }),
  );
  return [...answers.values()];
}

/** For the route, or for each slot (N1). */
export function latestOf([first, ...others]: readonly View[]): KnownHome[] {
  return (first?.homes ?? []).map((home, index) =>
    others.reduce((latest, { homes }) => {
      const other = homes[index];
      return other !== undefined && other.since > latest.since ? other : latest;
    }, home),
  );
}

/** @throws ConnectionFailed if a home can't be reached: only it can give the routes away */
async function requireAnswers(
  { sources }: Move,
  known: readonly Knowledge[],
  homes: readonly KnownHome[],
): Promise<void> {
  const silent = silentIn(known, sources).filter(({ name }) =>
    homes.some(({ home }) => home === name),
  );
  await Promise.all(silent.map(({ shard }) => shard.map()));
}

/** Those of some shards that didn't answer. */
const silentIn = (known: readonly Knowledge[], places: readonly Place[]): Place[] =>
  places.filter((place) => known.every((one) => one.place !== place));

const overtaken = ({ routes, target }: Move, home: string): InvalidArgument =>
  new InvalidArgument(
    `Another move has made "${home}" the home of the ${textOf(routes)} in the meantime: repeat this one if "${target.name}" is right.`,
  );

/** @throws ConnectionFailed if a shard doesn't answer; else InvalidArgument */
async function giveUp({ routes }: Move, known: readonly Knowledge[]): Promise<never> {
  await Promise.all(known.filter(({ isNew }) => !isNew).map(({ place }) => place.shard.map()));
  const views = known.map(({ place, homes }) => {
    const names = [...new Set(homes.map(({ home }) => `"${home}"`))];
    return `${names.join(" and ")} by shard "${place.name}"`;
  });
  throw new InvalidArgument(
    `Shards contradict each other about the home of the ${textOf(routes)}: ${views.join(", ")}. See \`oxbow shards outbox\`; if one of them was restored, move them to another shard and back.`,
  );
}
