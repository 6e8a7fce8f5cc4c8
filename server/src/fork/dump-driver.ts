/** Copies a database into an empty one of the same or a newer version, with `pg_dump` and `psql`. */
import { migrate, readIncarnation, toProgramUrl } from "@oxbow/sdk/internal/server";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ForkDriver, impossible, possible, showBytes } from "./driver.ts";
import { timeAt } from "./source.ts";

export const dumpDriver: ForkDriver = {
  name: "dump",
  makes: "url",
  needs: ["pg_dump", "psql"],

  async plan({ url, databaseBytes }, target) {
    if (url === undefined) return impossible("the server of the source is down");
    if (
      target.kind === "url" &&
      target.url !== "" &&
      (await readIncarnation(target.url)) !== undefined
    ) {
      return impossible("Oxbow is installed in the target: give an empty database");
    }
    return possible(
      `dumps and restores all rows, and rebuilds indexes: ${showBytes(databaseBytes)} in total; the source stays available, but its vacuum is held back`,
    );
  },

  async fork({ url }, target, programs) {
    if (url === undefined || target.kind !== "url") throw new Error("Expected a plan.");
    const folder = await mkdtemp(join(tmpdir(), "oxbow-fork-"));
    const file = join(folder, "dump.sql");
    try {
      const copiedAt = await timeAt(url);
      // Roles of the source may not exist.
      await programs("pg_dump", [
        "--no-owner",
        "--no-privileges",
        "--file",
        file,
        toProgramUrl(url),
      ]);
      await programs("psql", [
        "--quiet",
        "--no-psqlrc",
        "--single-transaction",
        "--set",
        "ON_ERROR_STOP=1",
        "--output=/dev/null",
        "--file",
        file,
        toProgramUrl(target.url),
      ]);
      // Privileges of the functions are not in the dump, and some are revoked by default.
      await migrate(target.url);
      return { copiedAt };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
