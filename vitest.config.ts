import { defineConfig } from "vitest/config";

const source = { conditions: ["oxbow-source"] };

export default defineConfig({
  resolve: source,
  ssr: { resolve: source },
  test: {
    include: ["sdk/src/**/*.test.ts", "server/src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/helpers/test-cluster.ts"],
    setupFiles: ["test/helpers/leak-guard.ts"],
    reporters: ["default", "./test/helpers/closing-line-reporter.ts"],
    // Own processes: tests send signals, and the leak guard counts what a file leaves behind.
    pool: "forks",
    // Most of a test's time is spent waiting for Postgres, so two a core keep both busy.
    maxWorkers: 4,
    // Far above what a test takes, so that a slow machine is not a failing test.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
