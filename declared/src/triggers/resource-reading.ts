/**
 * Reads the resources that the triggers of an event name: once a type, however many triggers name them. If a read
 * fails, the ids are split, so that an id which the application can't read fails without the others.
 */
import type { ResourceLiteral } from "../expression/expression.ts";

/** Returns the resources of a type by id. */
export type GetResources = (
  type: string,
  ids: readonly string[],
) => Promise<Readonly<Record<string, unknown>>>;

/** Throws if a value is of no use: only its id fails, without another read. */
export type CheckResource = (value: unknown, what: string) => unknown;

export interface ReadResources {
  /** Resources by type and id; null is one that doesn't exist. */
  readonly found: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Returns why one of the resources could not be read; undefined if all were read. */
  readonly failureOf: (wanted: readonly ResourceLiteral[]) => string | undefined;
}

/** How often a type is read for an event, and for how long failing ids are looked for. */
const MAX_READS = 32;
const MAX_SEARCH_MS = 10_000;

export async function readResources(
  wanted: Iterable<ResourceLiteral>,
  get: GetResources,
  check?: CheckResource,
): Promise<ReadResources> {
  const idsOf = new Map<string, Set<string>>();
  for (const { type, id } of wanted) {
    const ids = idsOf.get(type) ?? new Set<string>();
    idsOf.set(type, ids.add(id));
  }
  const types = await Promise.all(
    [...idsOf].map(
      async ([type, ids]) => [type, await readType(type, [...ids], get, check)] as const,
    ),
  );
  const byType = new Map(types);
  return {
    found: Object.fromEntries(
      types
        .filter(([, { found }]) => found.size > 0)
        .map(([type, { found }]) => [type, Object.fromEntries(found)]),
    ),
    failureOf: (literals) =>
      literals
        .map(({ type, id }) => byType.get(type)?.failures.get(id))
        .find((failure) => failure !== undefined),
  };
}

interface ReadType {
  readonly found: ReadonlyMap<string, unknown>;
  /** Messages by id. */
  readonly failures: ReadonlyMap<string, string>;
}

async function readType(
  type: string,
  ids: readonly string[],
  get: GetResources,
  check: CheckResource | undefined,
): Promise<ReadType> {
  const found = new Map<string, unknown>();
  const failures = new Map<string, string>();
  const endsAt = performance.now() + MAX_SEARCH_MS;
  const groups = [ids];
  let reads = 0;
  for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
    try {
      reads++;
      const values = await get(type, group);
      for (const id of group) {
        const value = Object.hasOwn(values, id) ? (values[id] ?? null) : null;
        try {
          check?.(value, `${type} "${id}"`);
          found.set(id, value);
        } catch (error) {
          failures.set(id, failureOf(type, error));
        }
      }
    } catch (error) {
      const mayRead = reads + groups.length + 2 <= MAX_READS && performance.now() < endsAt;
      if (group.length > 1 && mayRead) {
        const half = Math.ceil(group.length / 2);
        groups.push(group.slice(0, half), group.slice(half));
      } else {
        for (const id of group) failures.set(id, failureOf(type, error));
      }
    }
  }
  return { found, failures };
}

const failureOf = (type: string, error: unknown): string =>
  `${type} could not be read: ${error instanceof Error ? error.message : String(error)}`;
