/** The definitions of a worker without code: built-in nodes, with data sources, secrets and proxies of the environment. */
import { SourcePool } from "@oxbow/sdk/internal/server";
import type { WorkflowSource } from "@oxbow/sdk/runtime";
import { nodeSettings, type SourceSetting } from "../config.ts";
import { messageOf } from "../message-of.ts";

export interface EnvironmentDefinitions {
  readonly source: WorkflowSource;
  /** What documents may name, in words. */
  readonly offers: readonly string[];
  /** Closes the connections to data sources. */
  readonly close: () => Promise<void>;
}

/** The name of the database of Oxbow itself, which shows the runs of all definitions. */
const OXBOW = "oxbow";

/** Rejects if a variable is invalid, with its name, and without the url or the secret that it holds. */
export async function environmentDefinitions(pool: string): Promise<EnvironmentDefinitions> {
  const { sources, secretNames, secret, requests } = nodeSettings();
  const pools = sources.map((setting) => ({ ...setting, pool: open(setting) }));
  const { createDefinitions, httpRequest, sqlQuery } = await import("@oxbow/declared");
  const source = createDefinitions({
    pool,
    nodes: [
      httpRequest(requests),
      sqlQuery({
        sources: Object.fromEntries(
          pools.map(({ name, writes, pool: connections }) => [name, { pool: connections, writes }]),
        ),
      }),
    ],
    secrets: { get: secret },
  });
  return {
    source,
    offers: [
      ...sources.map(({ name, writes }) => `data source ${name}${writes ? " (writable)" : ""}`),
      ...secretNames.map((name) => `secret ${name}`),
    ],
    close: async () => {
      await Promise.all(pools.map(({ pool: connections }) => connections.close()));
    },
  };
}

function open({ name, variable, url }: SourceSetting): SourcePool {
  if (name === OXBOW) {
    throw new Error(
      `Invalid ${variable}: the source "${OXBOW}" is the database of Oxbow itself, with the runs of all definitions. Choose another name.`,
    );
  }
  try {
    return new SourcePool(url);
  } catch (error) {
    throw new Error(`Invalid ${variable}: ${messageOf(error)}`, { cause: error });
  }
}
