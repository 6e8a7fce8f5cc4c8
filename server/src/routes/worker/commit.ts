/** Committing: workers journal steps, and end or suspend runs. */
import type { RunCommit, Transport } from "@oxbow/sdk/internal/server";
import { Type } from "typebox";
import { MANY_VALUES_BYTES } from "../../http/body-limits.ts";
import { receiptsIn } from "../../http/lease-access.ts";
import { route, type Route } from "../../http/route.ts";
import { Closed, Id } from "../../http/schemas.ts";
import { Commit } from "./commit-shapes.ts";

export const commitSteps: Route = route({
  method: "POST",
  path: "/v1/worker/commit",
  scope: "work",
  leaseAccess: receiptsIn("items"),
  // Outputs of many runs travel together.
  bodyLimit: MANY_VALUES_BYTES,
  summary: "Commit steps and transitions of runs",
  body: Closed({
    items: Type.Array(Commit, { minItems: 1, maxItems: 1_000 }),
    skipLocked: Type.Boolean({
      default: false,
      description:
        "With several items, return the outcome busy for runs that another transaction has locked, instead of waiting.",
    }),
  }),
  response: {
    200: Type.Object({
      results: Type.Array(
        Type.Object({
          runId: Id,
          receipt: Id,
          outcome: Type.String(),
          resolved: Type.Array(Type.Object({}, { additionalProperties: true })),
        }),
      ),
    }),
  },
  handler: async ({ body, identity }, { transport, committer }) => {
    const { items: given, skipLocked } = body;
    const items = given as readonly RunCommit[];
    const [alone, ...others] = items;
    // Functions commit a run each: together they cost one statement.
    if (identity?.leases !== undefined && alone !== undefined && others.length === 0) {
      return { results: [await committer.submit(alone)] };
    }
    const results = await transport.worker.commit(items);
    return { results: skipLocked ? results : await insist(transport, items, results) };
  },
});

type Results = Awaited<ReturnType<Transport["worker"]["commit"]>>;

/** Repeats busy items one by one, which waits for the lock: older workers don't know `busy`. */
const insist = (
  transport: Transport,
  items: readonly RunCommit[],
  results: Results,
): Promise<Results> =>
  Promise.all(
    results.map(async (result, index) => {
      const item = items[index];
      if (result.outcome !== "busy" || item === undefined) return result;
      const [again = result] = await transport.worker.commit([item]);
      return again;
    }),
  );
