/** Which operations a server over shards refuses: each one is tried, and the guide lists the refused ones. */
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createFleet } from "../helpers/fleet.ts";
import { sampleOf, type Schema } from "../helpers/sample.ts";
import { secretOf, startTestServer } from "../helpers/server.ts";

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Requests that their schemas don't describe. */
const VERSIONS = { versions: { known: [1] } };
const BODIES: Readonly<Record<string, unknown>> = {
  signalWithStart: { run: { idempotencyKey: "known" }, event: "known" },
  subscribe: { type: "queue", target: "known" },
  moveMessages: { target: "elsewhere" },
  setSchedule: { workflow: "known", everySeconds: 60 },
  receiveRuns: { ...VERSIONS, maxRuns: 1, leaseMs: 1_000, waitSeconds: 0 },
  nextVisibleRun: VERSIONS,
  reportWorker: {
    host: "known",
    processId: 1,
    sdkVersion: "1.0.0",
    serves: { known: [1] },
    slots: 1,
    busySlots: 0,
  },
};
const WEBHOOK_SECRET = "s".repeat(32);
/** A delivery has to prove that its sender knows the address, before the server looks for the webhook. */
const BEARERS: Readonly<Record<string, string>> = {
  receiveHook: `whsec_${createHmac("sha256", WEBHOOK_SECRET)
    .update(`oxbow hook ${"0".repeat(32)}`)
    .digest("base64")}`,
};
const QUERIES: Readonly<Record<string, string>> = { listTicks: "?everySeconds=60" };

it("refuses what the guide lists, and nothing else", async () => {
  const { shards } = await createFleet();
  const server = await startTestServer(
    { url: "" },
    {
      url: undefined,
      shards,
      secrets: "ops:admin+act",
      deliveries: { senders: 0, secrets: [WEBHOOK_SECRET] },
    },
  );
  const started = await server.request("POST", "/v1/workflows/known/runs", {
    token: "ops",
    body: {},
  });
  await server.request("POST", "/v1/queues", { token: "ops", body: { name: "known" } });
  const { paths } = server.running.description as Document;

  /** The code of the answer, or its status. */
  async function ask(path: string, method: string, operation: Operation): Promise<string> {
    const { operationId, parameters = [], requestBody } = operation;
    const given = (place: string) =>
      parameters.filter((one) => one.in === place && one.required === true);
    const target = given("path").reduce(
      (filled, { name, schema }) =>
        filled.replace(
          `{${name}}`,
          encodeURIComponent(name === "run_id" ? started.body.runId : String(sampleOf(schema))),
        ),
      path,
    );
    const search = new URLSearchParams(
      given("query").map(({ name, schema }): [string, string] => [name, String(sampleOf(schema))]),
    );
    const schema = requestBody?.content["application/json"]?.schema;
    const body = BODIES[operationId] ?? (schema === undefined ? undefined : sampleOf(schema));
    const response = await fetch(
      `${server.url}${target}${QUERIES[operationId] ?? `?${search.toString()}`}`,
      {
        method: method.toUpperCase(),
        headers: {
          authorization: `Bearer ${BEARERS[operationId] ?? secretOf("ops")}`,
          "if-match": '"1"',
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      },
    );
    if (response.ok) {
      // Some are streams without an end.
      await response.body?.cancel();
      return "ok";
    }
    const problem = (await response.json()) as { code: string; detail: string };
    return response.status === 400
      ? `400 ${JSON.stringify(body)}: ${problem.detail}`
      : problem.code;
  }

  const byTag = new Map<string, { refused: string[]; served: string[] }>();
  const invalid: string[] = [];
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  await Promise.all(
    operations.map(async ({ path, method, operation }) => {
      const { operationId, tags } = operation;
      const code = await ask(path, method, operation);
      // It takes a session, and no database.
      if (code.startsWith("400") && operationId !== "signOut") {
        invalid.push(`${operationId}: ${code}`);
      }
      const [tag = ""] = tags;
      const found = byTag.get(tag) ?? { refused: [], served: [] };
      byTag.set(tag, found);
      found[code === "WRONG_SHARD" ? "refused" : "served"].push(`\`${operationId}\``);
    }),
  );
  // A request that its schema refuses would show nothing.
  expect(invalid).toEqual([]);

  const rows = [...byTag].flatMap(([tag, { refused, served }]) => {
    if (refused.length === 0) return [];
    const but = served.length === 0 ? "all" : `all but ${served.toSorted().join(", ")}`;
    return `| ${tag} | ${served.length < refused.length ? but : refused.toSorted().join(", ")} |`;
  });
  const guide = readFileSync(new URL("../../docs/guides/shards.md", import.meta.url), "utf8");
  const [, table = ""] =
    /\| operations \| answer 421 \|\n\| --- \| --- \|\n((?:\|.*\n)+)/.exec(guide) ?? [];
  expect(table.trim().split("\n").toSorted()).toEqual(rows.toSorted());
});
