/**
 * A graph, prepared for machines: compiled once for a document, shared by all its runs. Nodes are in topological order,
 * so that whatever is upstream of a node has a smaller place.
 */
import { ERROR, type Graph, type GraphEdge, type GraphNode, OUT } from "./graph.ts";

/** The nodes of one level: of the graph, or of the body of a loop. */
export interface Plan {
  readonly nodes: readonly PlannedNode[];
  readonly edges: readonly PlannedEdge[];
  /** Places of nodes by id. */
  readonly places: ReadonlyMap<string, number>;
  readonly failFast: boolean;
}

export interface PlannedNode {
  readonly id: string;
  /** Index in the plan. */
  readonly place: number;
  /** Name of the node's type, without its version. */
  readonly type: string;
  /** Number of edges that lead to it. */
  readonly incoming: number;
  /** Indices of the edges that leave it, in the order of the places that they lead to. */
  readonly outgoing: readonly number[];
  /** Edges that must be taken for it to run; `all` needs all to be settled, and one to be taken. */
  readonly needs: "all" | number;
  /** Places of the nodes that are abandoned when it runs (J6). */
  readonly losers: readonly number[];
  readonly hasErrorEdge: boolean;
  /** A failure counts as success with a fallback. */
  readonly continues: boolean;
  readonly isEnd: boolean;
  /** An `end` that ends the run whatever else is open. */
  readonly terminates: boolean;
  /** The nodes of a loop. */
  readonly body: Plan | undefined;
  /** An iteration of a loop over items, as a single node, if it is a child run. */
  readonly itemRun: Plan | undefined;
}

interface PlannedEdge {
  /** Index in the graph's list of edges. */
  readonly index: number;
  readonly from: number;
  readonly handle: string;
  readonly to: number;
}

/**
 * Compiles a graph.
 *
 * @throws Error if the graph has a cycle, or an edge whose ends aren't nodes of one level.
 */
export function planOf(graph: Graph): Plan {
  const levels = new Map<string | undefined, string[]>();
  for (const id of Object.keys(graph.nodes).toSorted()) {
    const level = levels.get(graph.nodes[id]?.parent);
    if (level === undefined) levels.set(graph.nodes[id]?.parent, [id]);
    else level.push(id);
  }
  return new Planner(graph, levels).level(undefined);
}

class Planner {
  readonly #graph: Graph;
  readonly #levels: ReadonlyMap<string | undefined, readonly string[]>;
  readonly #edges = new Map<string | undefined, (readonly [GraphEdge, number])[]>();

  constructor(graph: Graph, levels: ReadonlyMap<string | undefined, readonly string[]>) {
    this.#graph = graph;
    this.#levels = levels;
    for (const [index, edge] of (graph.edges ?? []).entries()) {
      const parent = this.#node(edge.from).parent;
      if (this.#node(edge.to).parent !== parent) {
        throw new Error(
          `The edge from "${edge.from}" to "${edge.to}" crosses the border of a loop.`,
        );
      }
      const level = this.#edges.get(parent);
      if (level === undefined) this.#edges.set(parent, [[edge, index]]);
      else level.push([edge, index]);
    }
  }

  level(parent: string | undefined): Plan {
    const given = this.#edges.get(parent) ?? [];
    const ids = inTopologicalOrder(
      this.#levels.get(parent) ?? [],
      given.map(([edge]) => edge),
    );
    const places = new Map(ids.map((id, place) => [id, place]));
    const placeOf = (id: string): number => places.get(id) ?? -1;
    const edges = given.map(([edge, index]) => ({
      index,
      from: placeOf(edge.from),
      handle: edge.on ?? OUT,
      to: placeOf(edge.to),
    }));
    const outgoing = ids.map((): number[] => []);
    const incoming = ids.map((): number[] => []);
    for (const [at, { from, to }] of edges.entries()) {
      outgoing[from]?.push(at);
      incoming[to]?.push(at);
    }
    for (const own of outgoing) own.sort((a, b) => (edges[a]?.to ?? 0) - (edges[b]?.to ?? 0));
    const nodes = ids.map((id, place): PlannedNode => {
      const node = this.#node(id);
      const type = nameOfType(node.type);
      const own = outgoing[place] ?? [];
      const needs = neededBy(node);
      const abandons = needs !== "all" && node.losers !== "finish";
      return {
        id,
        place,
        type,
        incoming: incoming[place]?.length ?? 0,
        outgoing: own,
        needs,
        losers: abandons ? losersOf(place, edges, incoming, outgoing) : [],
        hasErrorEdge: own.some((at) => edges[at]?.handle === ERROR),
        continues: node.onError === "continue",
        isEnd: type === "end",
        terminates: type === "end" && isTerminating(node.params),
        body: LOOPS.has(type) ? this.level(id) : undefined,
        itemRun: type === "for_each" ? planOfItemRun(id) : undefined,
      };
    });
    return { nodes, edges, places, failFast: this.#graph.settings?.failFast ?? true };
  }

  #node(id: string): GraphNode {
    const node = this.#graph.nodes[id];
    if (node === undefined) throw new Error(`An edge names the node "${id}", which doesn't exist.`);
    return node;
  }
}

/** Ids of nodes begin with a letter. */
const ITEM_RUN = "$";

/** The id of the node that an iteration of a loop is, if each is a run. */
export const itemRunOf = (loop: string): string => ITEM_RUN + loop;

function planOfItemRun(loop: string): Plan {
  const id = itemRunOf(loop);
  const node: PlannedNode = {
    id,
    place: 0,
    type: "run",
    incoming: 0,
    outgoing: [],
    needs: "all",
    losers: [],
    hasErrorEdge: false,
    continues: false,
    isEnd: false,
    terminates: false,
    body: undefined,
    itemRun: undefined,
  };
  return { nodes: [node], edges: [], places: new Map([[id, 0]]), failFast: true };
}

/** Whether a node is an iteration that is a child run. */
export const isItemRun = (id: string): boolean => id.startsWith(ITEM_RUN);

/** The path of a node: `pack.17.reserve`, or that of the iteration, `pack.17`, if the node is a run of it. */
export const pathAt = (prefix: string, id: string): string =>
  isItemRun(id) ? prefix.slice(0, -1) : prefix + id;

/** The body of the loop that the path of an iteration names. */
export function bodyAt(plan: Plan, path: string): Plan {
  let level = plan;
  for (const id of path.split(".").filter((_, at) => at % 2 === 0)) {
    const body = level.nodes[level.places.get(id) ?? -1]?.body;
    if (body === undefined) throw new Error(`There is no loop at "${path}".`);
    level = body;
  }
  return level;
}

const LOOPS: ReadonlySet<string> = new Set(["for_each", "repeat"]);

/** `slack.post` of `slack.post@2`. */
export function nameOfType(type: string): string {
  const at = type.lastIndexOf("@");
  return at === -1 ? type : type.slice(0, at);
}

function neededBy({ join = "all" }: GraphNode): "all" | number {
  if (typeof join === "object") return join.count;
  return join === "any" ? 1 : "all";
}

const isTerminating = (params: unknown): boolean =>
  typeof params === "object" &&
  params !== null &&
  (params as { terminate?: unknown }).terminate === true;

/** Depth first, from the last id to the first, so that independent nodes are in the order of ids. */
function inTopologicalOrder(ids: readonly string[], edges: readonly GraphEdge[]): string[] {
  const targets = new Map(ids.map((id): [string, string[]] => [id, []]));
  for (const { from, to } of edges) targets.get(from)?.push(to);
  const order: string[] = [];
  const states = new Map<string, "open" | "done">();
  const visit = (start: string): void => {
    const stack: { readonly id: string; next: number }[] = [{ id: start, next: 0 }];
    states.set(start, "open");
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const target = targets.get(top.id)?.[top.next];
      top.next += 1;
      if (target === undefined) {
        states.set(top.id, "done");
        order.push(top.id);
        stack.pop();
      } else if (states.get(target) === "open") {
        throw new Error(`The graph has a cycle through "${target}".`);
      } else if (!states.has(target)) {
        states.set(target, "open");
        stack.push({ id: target, next: 0 });
      }
    }
  };
  for (const id of ids.toReversed()) if (!states.has(id)) visit(id);
  return order.toReversed();
}

/** The places of the nodes all of whose paths lead into a node. Upstream first. */
function losersOf(
  join: number,
  edges: readonly PlannedEdge[],
  incoming: readonly (readonly number[])[],
  outgoing: readonly (readonly number[])[],
): number[] {
  const losers: number[] = [];
  /** How many edges of a node lead into the join, by whatever way. */
  const leading = new Map<number, number>();
  const waiting = [join];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    for (const at of incoming[place] ?? []) {
      const from = edges[at]?.from ?? -1;
      const count = (leading.get(from) ?? 0) + 1;
      leading.set(from, count);
      if (count !== outgoing[from]?.length) continue;
      losers.push(from);
      waiting.push(from);
    }
  }
  return losers.toSorted((a, b) => a - b);
}
