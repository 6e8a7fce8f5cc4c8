/**
 * The Postgres servers of a process's test environments: environments that live at the same time share one, and the
 * last to stop ends it.
 */
import { type Cluster, startPostgres } from "./embedded/cluster.ts";

/** A server in use. */
export interface BorrowedCluster {
  readonly url: string;
  /** To be called once. */
  readonly giveBack: () => Promise<void>;
}

let shared: { readonly cluster: Promise<Cluster>; users: number } | undefined;

export async function borrowCluster(): Promise<BorrowedCluster> {
  shared ??= {
    cluster: startPostgres({ durable: false, settings: { max_connections: "200" } }),
    users: 0,
  };
  const mine = shared;
  mine.users += 1;
  const giveBack = async (): Promise<void> => {
    mine.users -= 1;
    if (mine.users > 0) return;
    if (shared === mine) shared = undefined;
    await (await mine.cluster).stop({ mode: "immediate" });
  };
  try {
    return { url: (await mine.cluster).url, giveBack };
  } catch (error) {
    mine.users -= 1;
    if (shared === mine) shared = undefined;
    throw error;
  }
}
