import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./test/helpers/longest-first.ts";
import { FILES_NOT_OVER_SHARDS } from "./test/helpers/not-over-shards.ts";
import { sameEitherWay } from "./test/helpers/same-either-way.ts";

/** Runs tests of workflows and queues through a server, except transactions of the caller's own. */
const isThroughServer = process.env["OXBOW_TEST_TRANSPORT"] === "http";

/** Runs them over two shards, except those of calls that only one shard serves. */
const isOverShards = process.env["OXBOW_TEST_TRANSPORT"] === "shards";

const tests = [
  "sdk/src/**/*.test.ts",
  "fleet/src/**/*.test.ts",
  "declared/src/**/*.test.ts",
  "editor/src/**/*.test.ts",
  "server/src/**/*.test.ts",
  "dashboard/src/**/*.test.ts",
  "docs/language/*.test.ts",
  "test/**/*.test.ts",
];

/**
 * Tests that neither end their process nor change it for the next file. A worker runs many of these files and loads
 * its modules once, which halves what a short file costs.
 */
const sharingProcesses = [
  "sdk/src/**/*.test.ts",
  "fleet/src/**/*.test.ts",
  "declared/src/**/*.test.ts",
  "editor/src/**/*.test.ts",
  "server/src/**/*.test.ts",
  "dashboard/src/**/*.test.ts",
  "docs/language/*.test.ts",
  "test/adapters/*/*.test.ts",
  // The other one registers a tracer.
  "test/ai/!(cost).test.ts",
  "test/chaos/*.test.ts",
  "test/cli/*.test.ts",
  "test/contract/*.test.ts",
  // The code in the tests of the sandbox tries to reach the globals of its process.
  "test/declared/!(sandbox).test.ts",
  "test/declared/graph/*.test.ts",
  "test/docs/*.test.ts",
  "test/fork/*.test.ts",
  "test/install/*.test.ts",
  "test/model/*.test.ts",
  "test/proxy/*.test.ts",
  "test/queue/*.test.ts",
  "test/server/*.test.ts",
  "test/shard/*.test.ts",
  "test/sql/**/*.test.ts",
  "test/standby/*.test.ts",
  // It replaces the clock and the random numbers of its process.
  "test/testing/!(every-step).test.ts",
  // The others register a tracer, or parsers of types, for their whole process.
  "test/workflow/!(tracing|tracing-faults|tx-parsers).test.ts",
];

/** Files that a target leaves out. Vitest's own `--exclude` doesn't reach projects. */
const leftOut = (process.env["OXBOW_TEST_EXCLUDE"] ?? "").split(" ").filter((path) => path !== "");

const exclude = [
  "**/node_modules/**",
  ...leftOut,
  ...(isThroughServer
    ? [
        "test/workflow/tx*.test.ts",
        "test/workflow/many-results.test.ts",
        ...sameEitherWay("test/workflow", "test/queue"),
      ]
    : []),
  ...(isOverShards
    ? [...Object.keys(FILES_NOT_OVER_SHARDS), ...sameEitherWay("test/workflow", "test/queue")]
    : []),
];

const inTransport = (path: string): string =>
  fileURLToPath(new URL(`sdk/src/transport/${path}.ts`, import.meta.url));
/** As `imports` of the SDK's package.json chooses on Node, but from the source: nothing is compiled when a run begins. */
const resolve = {
  alias: {
    "#http-client": inTransport("http/node-client"),
    "#postgres": inTransport("postgres/postgres-transport"),
    "#fleet": fileURLToPath(new URL("fleet/src/index.ts", import.meta.url)),
  },
};

/**
 * Settings of both projects, which inherit nothing: lists are joined, and the set-up of the run would be repeated for
 * each.
 */
const common = {
  // The packages as they are compiled, like those that users get: Node loads them without a detour through vite.
  server: { deps: { external: [/\/(?:sdk|fleet|declared|react|ai|server)\/dist\//] } },
  setupFiles: [
    "test/helpers/leak-guard.ts",
    ...(isOverShards ? ["test/helpers/over-shards.ts"] : []),
  ],
  // Processes rather than threads: tests send signals, and the leak guard counts open resources.
  pool: "forks" as const,
  // Far above what a test takes, so that a slow machine is not a failing test.
  testTimeout: 480_000,
  hookTimeout: 480_000,
};

export default defineConfig({
  resolve,
  test: {
    globalSetup: [
      "test/helpers/run-folder.ts",
      "test/helpers/test-cluster.ts",
      "test/helpers/compile.ts",
    ],
    reporters: ["default", "./test/helpers/closing-line-reporter.ts"],
    // Most tests wait for the clock, or for a Postgres that is busy with others. With one file a core, two cores were idle
    // for a quarter of the time; with many more, tests are late for leases.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    forceRerunTriggers: [
      ...configDefaults.forceRerunTriggers,
      "**/{sdk,fleet,declared,react,ai,server}/src/**",
    ],
    projects: [
      {
        resolve,
        test: {
          ...common,
          name: "shared process",
          isolate: false,
          include: sharingProcesses,
          exclude,
        },
      },
      {
        resolve,
        test: {
          ...common,
          name: "own process",
          include: tests,
          exclude: [...exclude, ...sharingProcesses],
        },
      },
    ],
  },
});
