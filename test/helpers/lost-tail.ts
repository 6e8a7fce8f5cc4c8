/**
 * A Postgres that loses what it has committed last: commits are answered before they are on disk, and the process that
 * would write them there is stopped, until the server is killed.
 */
import type { Cluster } from "@oxbow/sdk/testing";
import { askOnce } from "./ask-once.ts";
import { createInstalled, startCluster } from "./clusters.ts";
import { atFileEnd } from "./file-end.ts";

export interface ForgetfulDatabase {
  readonly cluster: Cluster;
  readonly url: string;
  readonly query: ReturnType<typeof askOnce>;
  /** Everything that is committed from here on is lost at the next crash. */
  readonly beginTail: () => Promise<void>;
  /** Kills the server, and starts it again without the tail. */
  readonly loseTail: () => Promise<void>;
}

/** Stops with the test file. */
export async function startForgetful(
  settings: Readonly<Record<string, string>> = {},
): Promise<ForgetfulDatabase> {
  const cluster = await startCluster({
    settings: {
      synchronous_commit: "off",
      autovacuum: "off",
      checkpoint_timeout: "1d",
      ...settings,
    },
  });
  atFileEnd(() => cluster.stop({ mode: "immediate" }));
  const url = await createInstalled(cluster, "forgetful");
  const query = askOnce(url);
  return {
    cluster,
    url,
    query,
    beginTail: async () => {
      await query("checkpoint");
      const [writer] = await query(
        "select pid from pg_stat_activity where backend_type = 'walwriter'",
      );
      process.kill(Number(writer?.["pid"]), "SIGSTOP");
    },
    loseTail: async () => {
      await cluster.kill();
      await cluster.start();
    },
  };
}
