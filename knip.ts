import type { KnipConfig } from "knip";

export default {
  workspaces: {
    ".": {
      entry: ["docs/language/*.test.ts"],
      project: ["*.ts", "extension-sql/**/*.ts", "docs/**/*.ts", "!docs/site/**"],
      // Read as a file by docs/language/spelling.ts.
      ignoreDependencies: ["@cspell/dict-en_us"],
    },
    sdk: {
      // The watchdog is started by its path.
      entry: ["src/testing/embedded/watchdog.js"],
      project: ["src/**/*.{ts,js}"],
      // An optional peer, which it loads if it is installed.
      ignoreDependencies: ["@oxbow/fleet"],
    },
    fleet: { project: ["src/**/*.ts"] },
    declared: {
      // The thread is started by its path.
      entry: ["src/sandbox/sandbox-thread.ts"],
      project: ["src/**/*.ts"],
    },
    editor: {
      entry: ["src/**/*.test.ts"],
      project: ["*.ts", "src/**/*.{ts,tsx}"],
      // Its types, for applications that have others.
      ignoreDependencies: ["@types/react"],
    },
    react: {
      project: ["src/**/*.{ts,tsx}"],
      // Its types, for applications that have others.
      ignoreDependencies: ["@types/react"],
    },
    ai: { project: ["src/**/*.ts"] },
    server: {
      // Started by its path.
      entry: ["src/dev/worker-main.ts"],
      project: ["src/**/*.ts"],
    },
    dashboard: {
      entry: ["src/**/*.test.ts"],
      project: ["**/*.{ts,tsx}", "!src/api/schema.ts"],
    },
    test: {
      // Besides the tests: scripts that they start as processes, and what shows how a run of tests fails.
      entry: [
        "**/*.test.ts",
        "matrix/*.ts",
        "**/programs/*.ts",
        "helpers/*.ts",
        "**/fixtures/*.ts",
        "docs/page-harness.ts",
      ],
      project: ["**/*.ts"],
      ignoreBinaries: ["btrfs", "make", "mount", "promtool", "psql", "truncate", "umount"],
    },
    bench: {
      // Besides what is run: programs that are started by their path.
      entry: [
        "systems/{measure,worker,oxbow,oxbow-http,oxbow-http-workers,http-server}.ts",
        "push/process.ts",
        "agents/process.ts",
        "soak/{server,worker}.ts",
      ],
      // The peers' adapters are checked where the peers are installed: bench/README.md.
      project: ["**/*.ts", "!peers/**"],
      ignoreBinaries: ["btrfs", "mount", "truncate", "umount"],
    },
    examples: {
      // The application on Next.js has packages of its own, and is checked where a test installs them.
      entry: ["**/*.ts", "!agent/**", "!embedded-editor/**", "!nextjs/**"],
      project: ["**/*.ts", "!agent/**", "!embedded-editor/**", "!nextjs/**"],
    },
    "examples/agent": {
      // Started by its path.
      entry: ["worker.ts"],
      project: ["**/*.{ts,tsx}"],
    },
    "examples/embedded-editor": { project: ["src/**/*.{ts,tsx}"] },
  },
} satisfies KnipConfig;
