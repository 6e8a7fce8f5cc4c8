/** `make test-packages`: a separate suite, since it downloads each version of Node and installs the packages six times. */
import { defineConfig } from "vitest/config";

const source = { conditions: ["oxbow-source"] };

export default defineConfig({
  resolve: source,
  ssr: { resolve: source },
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/matrix/*.matrix.ts"],
    globalSetup: ["test/helpers/test-cluster.ts"],
    setupFiles: ["test/helpers/leak-guard.ts"],
    reporters: ["default", "./test/helpers/closing-line-reporter.ts"],
    pool: "forks",
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
});
