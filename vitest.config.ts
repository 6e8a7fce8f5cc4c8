import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/helpers/longest-first.ts";
import { sameEitherWay } from "./test/helpers/same-either-way.ts";

/** Runs tests of workflows and queues through a server, except transactions of the caller's own. */
const isThroughServer = process.env["OXBOW_TEST_TRANSPORT"] === "http";

const source = { conditions: ["oxbow-source"] };

export default defineConfig({
  resolve: source,
  ssr: { resolve: source },
  test: {
    include: ["sdk/src/**/*.test.ts", "server/src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: isThroughServer
      ? [
          "**/node_modules/**",
          "test/workflow/tx*.test.ts",
          "test/workflow/many-results.test.ts",
          ...sameEitherWay("test/workflow", "test/queue"),
        ]
      : ["**/node_modules/**"],
    globalSetup: ["test/helpers/test-cluster.ts", "test/helpers/compiled.ts"],
    setupFiles: ["test/helpers/leak-guard.ts"],
    reporters: ["default", "./test/helpers/closing-line-reporter.ts"],
    // Own processes: tests send signals, and the leak guard counts what a file leaves behind.
    pool: "forks",
    // Most of a test's time is spent waiting for Postgres, so two a core keep both busy.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Far above what a test takes, so that a slow machine is not a failing test.
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
});
