/** Postgres's actual work for a call: the plans of all statements inside of it, with the pages that they touched. */
import type { TestDatabase } from "./database.ts";

export interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Actual Loops"?: number;
  readonly Plans?: readonly PlanNode[];
}

export interface CallPlans {
  /** Names of the indexes used, each once. */
  readonly indexes: readonly string[];
  /** Names of tables read from end to end, each once. */
  readonly scanned: readonly string[];
  /** Whether one of the statements was compiled just in time, which takes longer than any of them should. */
  readonly isCompiled: boolean;
  /**
   * Pages of tables and indexes that it touched, less those of the catalog: a session reads that again whenever other
   * sessions have changed enough, also in other databases of the cluster.
   */
  readonly buffers: number;
}

/** Postgres counts them for the transaction so far. The catalog has the first oids. */
const PAGES = `select coalesce(sum(pg_stat_get_xact_blocks_fetched(c.oid)), 0)::integer as pages
  from pg_class as c where c.oid >= 16384`;

/** Opens a session whose calls are explained from within, and returns what explains one. */
export async function planner(
  database: TestDatabase,
): Promise<(text: string, values?: readonly unknown[]) => Promise<CallPlans>> {
  const client = await database.connect();
  await client.query(`
    load 'auto_explain';
    set auto_explain.log_min_duration = 0;
    set auto_explain.log_nested_statements = on;
    set auto_explain.log_analyze = on;
    set auto_explain.log_timing = off;
    set auto_explain.log_format = 'json';
    set auto_explain.log_level = 'notice'`);
  const plans: PlanNode[] = [];
  let isCompiled = false;
  client.on("notice", ({ message }: { readonly message?: string | undefined }) => {
    const json = message?.slice(message.indexOf("{")) ?? "{}";
    const { Plan: plan, JIT: compilation } = JSON.parse(json) as { Plan?: PlanNode; JIT?: object };
    if (plan !== undefined) plans.push(plan);
    if (compilation !== undefined) isCompiled = true;
  });

  const pagesSoFar = async (): Promise<number> => {
    const { rows } = await client.query<{ pages: number }>(PAGES);
    return rows[0]?.pages ?? 0;
  };

  return async (text, values = []) => {
    await client.query("begin");
    const before = await pagesSoFar();
    plans.length = 0;
    isCompiled = false;
    await client.query(text, [...values]);
    const ofCall = [...plans];
    const isCallCompiled = isCompiled;
    const buffers = (await pagesSoFar()) - before;
    await client.query("commit");
    // A plan names what might be needed, too.
    const nodes = ofCall.flatMap(withDescendants).filter((node) => node["Actual Loops"] !== 0);
    return {
      indexes: unique(nodes.map((node) => node["Index Name"])),
      scanned: unique(
        nodes
          .filter((node) => node["Node Type"] === "Seq Scan")
          .map((node) => node["Relation Name"]),
      ),
      isCompiled: isCallCompiled,
      buffers,
    };
  };
}

function withDescendants(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(withDescendants)];
}

function unique(names: readonly (string | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== undefined))].toSorted();
}
