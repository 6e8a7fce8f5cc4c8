/** Finding runs: list, search, count and export. */
import { Readable } from "node:stream";
import type { RunListing } from "@oxbow/sdk/internal/server";
import { Type } from "typebox";
import { invalidRequest } from "../../http/problems.ts";
import { route, type Route } from "../../http/route.ts";
import {
  Closed,
  Cursor,
  Json,
  nonEmpty,
  Nullable,
  Version,
  WorkflowName,
} from "../../http/schemas.ts";
import { toContainment, toInstant } from "../../http/values.ts";
import { RUN_STATUSES } from "../../run-states.ts";
import { Conditions, Page } from "./conditions.ts";
import { Listed } from "./shapes.ts";

export const listRuns: Route = route({
  method: "GET",
  path: "/v1/workflows/:name/runs",
  scope: "read",
  summary: "List the runs of a workflow",
  description:
    "Returns runs, newest first. `input.<path>=<value>` and `tags.<path>=<value>` match runs whose input or tags contain the value, which is parsed as JSON if it is valid JSON, and is text otherwise.",
  params: Type.Object({ name: WorkflowName }),
  querystring: Type.Object(
    {
      status: Type.Optional(
        Type.String({ description: "One or more statuses, separated by commas." }),
      ),
      since: Type.Optional(Type.String({ description: "Started at or after this time." })),
      until: Type.Optional(Type.String({ description: "Started before this time." })),
      version: Type.Optional(Version),
      idempotencyKey: Type.Optional(Type.String({ maxLength: 512 })),
      cursor: Type.Optional(Cursor),
      limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 50 }),
    },
    { additionalProperties: true },
  ),
  response: {
    200: Type.Object({
      runs: Type.Array(Listed),
      cursor: Nullable(Cursor),
    }),
  },
  handler: async ({ params: { name }, query }, { transport }) => {
    refuseUnknown(query);
    const { since, until, cursor, limit } = query;
    const { runs, before } = await transport.runs.list(
      {
        name,
        version: query.version,
        status: statusesOf(query.status),
        startedAfter: since === undefined ? undefined : toInstant(since, "since"),
        startedBefore: until === undefined ? undefined : toInstant(until, "until"),
        idempotencyKey: query.idempotencyKey,
        input: toContainment(query, "input"),
        tags: toContainment(query, "tags"),
      },
      {
        before: cursor,
        maxRuns: limit,
        withValues: false,
      },
    );
    return { runs, cursor: before };
  },
});

const withoutValues = ({ input: _input, output: _output, ...run }: RunListing) => run;

const ListedWithValues = Type.Object({
  ...Listed.properties,
  input: Type.Optional(Json),
  output: Type.Optional(Json),
});

export const searchRuns: Route = route({
  method: "POST",
  path: "/v1/runs/search",
  scope: "read",
  summary: "Search runs",
  description:
    "Returns the runs of any workflow that match, newest first, and the cursor of the next page: null after the last one. With values, a page has at most about 64 MiB, and one run in any case.",
  body: Closed({
    conditions: Conditions,
    ...Page,
    withValues: Type.Boolean({
      default: false,
      description: "Whether to return inputs and outputs.",
    }),
  }),
  response: {
    200: Type.Object({ runs: Type.Array(ListedWithValues), cursor: Nullable(Cursor) }),
  },
  handler: async ({ body }, { transport }) => {
    const { conditions, before, maxRuns, withValues } = body;
    const page = await transport.runs.list(conditions, { before, maxRuns, withValues });
    return {
      runs: withValues ? page.runs : page.runs.map(withoutValues),
      cursor: page.before,
    };
  },
});

export const countRuns: Route = route({
  method: "POST",
  path: "/v1/runs/count",
  scope: "read",
  summary: "Count runs",
  description: "Counts the runs that match, up to atMost.",
  body: Closed({
    conditions: Conditions,
    atMost: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      default: 10_000,
      description: "Counting stops here.",
    }),
  }),
  response: { 200: Type.Object({ count: Type.Integer() }) },
  handler: async ({ body: { conditions, atMost } }, { transport }) => ({
    count: await transport.runs.count(conditions, atMost),
  }),
});

export const sumRuns: Route = route({
  method: "POST",
  path: "/v1/runs/sum",
  scope: "read",
  summary: "Sum a published value of runs",
  description:
    "Sums the numbers in a value that runs have published with ctx.set(), by a tag of the runs: at most 1,000 groups, the one with the most runs first.",
  body: Closed({
    conditions: Conditions,
    key: nonEmpty(512),
    byTag: Type.Optional(Type.String()),
  }),
  response: {
    200: Type.Object({
      groups: Type.Array(
        Type.Object({
          tag: Nullable(Type.String()),
          runs: Type.Integer(),
          sums: Type.Record(Type.String(), Type.Number()),
        }),
      ),
    }),
  },
  handler: async ({ body: { conditions, key, byTag } }, { transport }) => ({
    groups: await transport.runs.sum(key, conditions, byTag),
  }),
});

export const exportRuns: Route = route({
  method: "POST",
  path: "/v1/runs/export",
  scope: "read",
  summary: "Export runs",
  description:
    "Streams all matching runs with their inputs and outputs, one JSON object per line. Exports get at most half of the server's connections to the database; one that finds them taken waits some seconds, and is then answered with 503.",
  body: Closed({ conditions: Conditions }),
  response: {
    200: {
      description: "Runs.",
      content: { "application/x-ndjson": { schema: Type.String() } },
    },
  },
  handler: async ({ body: { conditions } }, { transport }, reply) => {
    const lines = async function* () {
      for await (const runs of await transport.runs.export(conditions)) {
        for (const run of runs)
          yield `${JSON.stringify({ ...withoutValues(run), input: run.input, output: run.output })}\n`;
      }
    };
    return reply
      .header("content-type", "application/x-ndjson")
      .send(Readable.from(lines()) as never);
  },
});

const QUERY_OF_LIST = new Set([
  "status",
  "since",
  "until",
  "version",
  "idempotencyKey",
  "cursor",
  "limit",
]);

function refuseUnknown(query: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(query).find(
    (key) => !QUERY_OF_LIST.has(key) && !/^(input|tags)\../.test(key),
  );
  if (unknown === undefined) return;
  throw invalidRequest(
    `Unknown filter "${unknown.slice(0, 80)}": use ${[...QUERY_OF_LIST].join(", ")}, input.<path> or tags.<path>.`,
  );
}

function statusesOf(text: string | undefined): (typeof RUN_STATUSES)[number][] | undefined {
  return text?.split(",").map((given) => {
    const status = RUN_STATUSES.find((known) => known === given.trim());
    if (status !== undefined) return status;
    throw invalidRequest(`Unknown status "${given.slice(0, 40)}": use ${RUN_STATUSES.join(", ")}.`);
  });
}
