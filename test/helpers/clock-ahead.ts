/** Programs of a Postgres whose clock is ahead of that of the machine, by libfaketime, where it is installed. */
import { chmodSync, existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chooseServerUser, findBinaries } from "@oxbow/sdk/internal/testing";

const LIBRARIES = ["x86_64", "aarch64"].map(
  (machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`,
);
const library = LIBRARIES.find((path) => existsSync(path));

/** Whether servers can have clocks of their own. */
export const hasClocks = library !== undefined;

/**
 * Writes the programs to a folder that the account of the server can read.
 *
 * @param ahead Such as `3s`.
 * @returns the option of `startPostgres`; empty without the library
 */
export function programsAhead(folder: string, ahead: string): { readonly binDir?: string } {
  if (library === undefined) return {};
  const { initdb, postgres } = findBinaries(
    process.env["OXBOW_TEST_PG_BIN"],
    chooseServerUser(undefined),
  );
  symlinkSync(initdb, join(folder, "initdb"));
  const program = join(folder, "postgres");
  // The server finds its files by its own path; its waits go by the monotonic clock, which stays as it is.
  const environment = `LD_PRELOAD=${library} FAKETIME=+${ahead} DONT_FAKE_MONOTONIC=1`;
  writeFileSync(program, `#!/bin/sh\n${environment} exec ${postgres} "$@"\n`);
  chmodSync(program, 0o755);
  return { binDir: folder };
}
