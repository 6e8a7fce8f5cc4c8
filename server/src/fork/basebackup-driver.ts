/** Copies a cluster over a replication connection with `pg_basebackup`. */
import { chooseServerUser } from "@oxbow/sdk/internal/testing";
import { toProgramUrl, withDatabase } from "@oxbow/sdk/internal/server";
import { chown, mkdir, rm } from "node:fs/promises";
import { type ForkDriver, impossible, possible, showBytes } from "./driver.ts";
import { mayReplicate } from "./postgres.ts";
import { timeAt } from "./source.ts";

export const basebackupDriver: ForkDriver = {
  name: "basebackup",
  makes: "directory",
  needs: ["pg_basebackup", "pg_ctl"],

  async plan({ url, clusterBytes }) {
    if (url === undefined) return impossible("the server of the source is down");
    if (!(await withDatabase(url, mayReplicate))) {
      return impossible(
        "the role of the url may not replicate: allow it with ALTER ROLE … REPLICATION",
      );
    }
    return possible(
      `the whole cluster is copied over the connection: ${showBytes(clusterBytes)}, ` +
        "after a checkpoint of the source, which stays available",
    );
  },

  async fork({ url }, target, programs) {
    if (url === undefined || target.kind !== "directory") throw new Error("Expected a plan.");
    const user = chooseServerUser(undefined);
    await mkdir(target.path, { mode: 0o700 });
    if (user !== undefined) await chown(target.path, user.uid, user.gid);
    try {
      await programs(
        "pg_basebackup",
        [
          "--dbname",
          toProgramUrl(url),
          "--pgdata",
          target.path,
          "--checkpoint=fast",
          "--wal-method=stream",
        ],
        { user },
      );
    } catch (error) {
      await rm(target.path, { recursive: true, force: true });
      throw error;
    }
    return { copiedAt: await timeAt(url) };
  },
};
