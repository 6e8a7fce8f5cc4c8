/** Postgres's actual work for a call: the plans of all statements inside of it, with the pages that they touched. */
import type { TestDatabase } from "./database.ts";

export interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Actual Loops"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly PlanNode[];
}

export interface CallPlans {
  /** Names of the indexes used, each once. */
  readonly indexes: readonly string[];
  /** Names of tables read from end to end, each once. */
  readonly scanned: readonly string[];
  /** Whether one of the statements was compiled just in time, which takes longer than any of them should. */
  readonly isCompiled: boolean;
  /** Pages touched by the statements that have to do with a table; looking into the catalog doesn't count. */
  readonly buffers: number;
}

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
    set auto_explain.log_buffers = on;
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

  return async (text, values = []) => {
    plans.length = 0;
    isCompiled = false;
    await client.query(text, [...values]);
    // A plan names what might be needed, too.
    const nodes = plans.flatMap(withDescendants).filter((node) => node["Actual Loops"] !== 0);
    return {
      indexes: unique(nodes.map((node) => node["Index Name"])),
      scanned: unique(
        nodes
          .filter((node) => node["Node Type"] === "Seq Scan")
          .map((node) => node["Relation Name"]),
      ),
      isCompiled,
      buffers: plans
        .filter(touchesTable)
        .map(pagesOf)
        .reduce((sum, pages) => sum + pages, 0),
    };
  };
}

function withDescendants(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(withDescendants)];
}

/** The statement that calls the function touches none itself, and its pages include those of all statements. */
function touchesTable(plan: PlanNode): boolean {
  return withDescendants(plan).some((node) => node["Relation Name"] !== undefined);
}

function pagesOf(node: PlanNode): number {
  return node["Shared Hit Blocks"] + node["Shared Read Blocks"];
}

function unique(names: readonly (string | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== undefined))].toSorted();
}
