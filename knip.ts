import type { KnipConfig } from "knip";

export default {
  workspaces: {
    ".": { project: ["*.ts", "extension-sql/**/*.ts"] },
    sdk: {
      // The watchdog is started by its path.
      entry: ["src/testing/embedded/watchdog.js"],
      project: ["src/**/*.{ts,js}"],
    },
    server: { project: ["src/**/*.ts"] },
    test: {
      // Besides the tests: scripts that they start as processes, and what shows how a run of tests fails.
      entry: ["**/*.test.ts", "**/programs/*.ts", "helpers/*.ts", "**/fixtures/*.ts"],
      project: ["**/*.ts"],
      ignoreBinaries: ["make"],
    },
    bench: { entry: ["worker.ts"], project: ["**/*.ts"] },
    examples: { entry: ["**/*.ts"], project: ["**/*.ts"] },
  },
} satisfies KnipConfig;
