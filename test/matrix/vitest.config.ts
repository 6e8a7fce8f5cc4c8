/** `make test-packages` and `make test-runtimes`: a separate suite, since it downloads programs and installs the packages. */
import { defineConfig } from "vitest/config";

const source = { conditions: ["oxbow-source"] };

export default defineConfig({
  resolve: source,
  ssr: { resolve: source },
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/matrix/*.matrix.ts"],
    globalSetup: [
      "test/helpers/run-folder.ts",
      "test/helpers/test-cluster.ts",
      "test/helpers/compile.ts",
    ],
    setupFiles: ["test/helpers/leak-guard.ts"],
    reporters: ["default", "./test/helpers/closing-line-reporter.ts"],
    pool: "forks",
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
});
