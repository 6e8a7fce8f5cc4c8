/** Copies a database within its cluster by CREATE DATABASE, which requires that no session uses the source. */
import { withDatabase } from "@oxbow/sdk/internal/server";
import { type ForkDriver, impossible, possible, showBytes } from "./driver.ts";
import { copyDatabase, readTime, setCopyMethod } from "./postgres.ts";

const WITH_CLONING = 18;
const NAME = /^[a-z_][a-z0-9_-]{0,62}$/;

export const templateDriver: ForkDriver = {
  name: "template",
  makes: "database",
  needs: [],

  async plan({ url, database, databaseBytes, sessions }) {
    if (url === undefined || database === undefined) {
      return impossible("the server of the source is down");
    }
    const cost = `makes a checkpoint, then copies ${showBytes(databaseBytes)} (PostgreSQL 18 clones them on btrfs, XFS and APFS); no session can use "${database}" during the copy`;
    return sessions === 0
      ? possible(cost)
      : impossible(
          `${sessions} ${sessions === 1 ? "session is" : "sessions are"} connected to "${database}": end them, or fork the cluster into a directory, which allows sessions`,
        );
  },

  async fork({ url, database, majorVersion }, target) {
    if (url === undefined || database === undefined || target.kind !== "database")
      throw new Error("Expected a plan.");
    if (!NAME.test(target.name)) {
      throw new Error(
        `"${target.name}" is not a valid name: use a to z, 0 to 9, _ and -, beginning with a letter.`,
      );
    }
    return withDatabase(withName(url, "postgres"), async (client) => {
      const copiedAt = await readTime(client);
      const copy = { from: database, to: target.name };
      if (majorVersion < WITH_CLONING) await copyDatabase(client, copy);
      else {
        await setCopyMethod(client, "clone");
        try {
          await copyDatabase(client, copy);
        } catch (error) {
          // Most file systems don't support clones.
          if (!/clone|copy_file_range/.test((error as Error).message)) throw error;
          await setCopyMethod(client, "copy");
          await copyDatabase(client, copy);
        }
      }
      return { copiedAt };
    });
  },
};

/** The url of another database of the same servers. `URL` doesn't read a url of several servers. */
export const withName = (url: string, database: string): string =>
  url.replace(
    /^(\w+:\/\/[^/?#]*)[^?#]*/,
    (_, servers: string) => `${servers}/${encodeURIComponent(database)}`,
  );
