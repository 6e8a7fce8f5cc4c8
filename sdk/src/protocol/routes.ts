/** Routes: the names of runs and schedules that belong with them must lead to them. */
import { InvalidArgument } from "../core/errors.ts";
import type { StartRequest } from "./runs.ts";

/**
 * A key must lead to its route: two routes of one shard share the index of keys.
 *
 * @throws InvalidArgument
 */
export function requireKeyOfRoute(
  { route, idempotencyKey }: Partial<Pick<StartRequest, "route" | "idempotencyKey">>,
  workflow: string,
): void {
  if (route === undefined) return;
  if (typeof route !== "string" || !/^[^/]{1,512}$/u.test(route)) {
    throw new InvalidArgument(
      `Invalid route ${JSON.stringify(route)} of a run of "${workflow}": give 1 to 512 characters without slashes.`,
    );
  }
  if (idempotencyKey === undefined || idempotencyKey.startsWith(`${route}/`)) return;
  throw new InvalidArgument(
    `The idempotency key "${idempotencyKey}" of a run of "${workflow}" doesn't begin with its route: give "${route}/${idempotencyKey}".`,
  );
}

/**
 * The name of a schedule leads to its shard, so it must lead to where its runs are at home.
 *
 * @throws InvalidArgument
 */
export function requireNameOfRoute(name: string, route: string | undefined): void {
  if (route === undefined || name === route || name.startsWith(`${route}/`)) return;
  throw new InvalidArgument(
    `The runs of schedule "${name}" have route "${route}", but its name doesn't begin with it: name it "${route}/${name}", which is where the schedule is at home.`,
  );
}
