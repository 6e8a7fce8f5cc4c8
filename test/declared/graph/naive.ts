/**
 * The semantics of graphs (J1–J9, L1–L6) once more, as plainly as possible: it looks at everything again after each
 * outcome, until nothing changes. It shares no code with the machine, and is given what the machine's host saw: which
 * nodes began, their outcomes, and the ends of loops, in that order. It throws for what can't be.
 */
import type { Answers, LogEntry, RandomGraph } from "./random-graph.ts";

type Status = "idle" | "ready" | "running" | "succeeded" | "failed" | "skipped" | "abandoned";
type Settled = "open" | "taken" | "skipped" | "failed";

interface Level {
  readonly prefix: string;
  readonly ids: readonly string[];
  readonly loop: { readonly path: string; readonly level: Level; readonly id: string } | undefined;
  end: "completed" | "failed" | "stopped" | undefined;
}

export interface Interpreted {
  readonly nodes: ReadonlyMap<string, Status>;
  readonly edges: ReadonlyMap<string, Settled>;
  readonly end: Level["end"];
}

export function interpret(
  graph: RandomGraph,
  answers: Answers,
  log: readonly LogEntry[],
): Interpreted {
  const nodes = new Map<string, Status>();
  const edges = new Map<string, Settled>();
  const levels: Level[] = [];
  const fallbacks = new Set<string>();
  const failedLoops = new Set<string>();
  const failures = new Map<string, number>();
  const abandoned = new Set<string>();

  const into = (id: string) => graph.edges.filter(({ to }) => to === id);
  const outOf = (id: string) => graph.edges.filter(({ from }) => from === id);
  const edgeKey = (level: Level, edge: RandomGraph["edges"][number]): string =>
    `${level.prefix}${edge.from}-${edge.on}-${edge.to}`;
  const nodeOf = (id: string) => graph.nodes[id] ?? { type: "?" };
  const isLoop = (id: string): boolean => /^(for_each|repeat)@/.test(nodeOf(id).type);
  const status = (level: Level, id: string): Status => nodes.get(level.prefix + id) ?? "idle";
  const leadsInto = (from: string, join: string): boolean =>
    outOf(from).length > 0 && outOf(from).every(({ to }) => to === join || leadsInto(to, join));
  const isUpstream = (a: string, b: string): boolean =>
    outOf(a).some(({ to }) => to === b || isUpstream(to, b));

  const leave = (level: Level, id: string, as: Status, mark: (handle: string) => Settled): void => {
    nodes.set(level.prefix + id, as);
    for (const edge of outOf(id)) edges.set(edgeKey(level, edge), mark(edge.on));
  };
  const fail = (level: Level, id: string, isOwn: boolean): void => {
    const path = level.prefix + id;
    const catches = isOwn || into(id).length > 1;
    if (catches && outOf(id).some(({ on }) => on === "error")) {
      leave(level, id, "failed", (handle) => (handle === "error" ? "taken" : "skipped"));
    } else if (catches && nodeOf(id).onError === "continue" && !fallbacks.has(path)) {
      fallbacks.add(path);
      nodes.set(path, "ready");
    } else leave(level, id, "failed", () => "failed");
  };
  const abandon = (level: Level, id: string): void => {
    if (!["idle", "ready", "running"].includes(status(level, id))) return;
    if (status(level, id) === "running" && isLoop(id)) abandonInside(level.prefix + id);
    leave(level, id, "abandoned", () => "skipped");
  };
  const abandonInside = (path: string): void => {
    abandoned.add(path);
    for (const level of levels.filter(({ loop }) => loop?.path === path && !loopIsGone(loop))) {
      for (const id of level.ids) {
        if (status(level, id) !== "running") continue;
        if (isLoop(id)) abandonInside(level.prefix + id);
        nodes.set(level.prefix + id, "abandoned");
      }
      level.end ??= "stopped";
    }
  };
  const loopIsGone = (loop: Level["loop"]): boolean =>
    loop !== undefined && status(loop.level, loop.id) !== "running";

  /** The outcome of J4 for a node that has not been decided; undefined if it waits. */
  const decision = (level: Level, id: string): "run" | "fail" | "skip" | undefined => {
    const all = into(id).map((edge) => edges.get(edgeKey(level, edge)) ?? "open");
    const count = (what: Settled): number => all.filter((each) => each === what).length;
    const { join = "all" } = nodeOf(id);
    if (join === "all") {
      if (count("failed") > 0) return "fail";
      if (count("open") > 0) return undefined;
      return all.length === 0 || count("taken") > 0 ? "run" : "skip";
    }
    const needed = join === "any" ? 1 : join.count;
    if (all.length === 0 || count("taken") >= needed) return "run";
    if (count("taken") + count("open") >= needed) return undefined;
    return count("failed") > 0 ? "fail" : "skip";
  };

  const spread = (level: Level): void => {
    for (;;) {
      const decidable = level.ids.filter(
        (id) => status(level, id) === "idle" && decision(level, id) !== undefined,
      );
      const id = decidable.find((one) => !decidable.some((other) => isUpstream(other, one)));
      if (id === undefined) break;
      const what = decision(level, id);
      if (what === "skip") leave(level, id, "skipped", () => "skipped");
      else if (what === "fail") fail(level, id, false);
      else {
        nodes.set(level.prefix + id, "ready");
        const { join = "all", losers } = nodeOf(id);
        if (join === "all" || losers === "finish" || into(id).length === 0) continue;
        for (const other of level.ids) if (leadsInto(other, id)) abandon(level, other);
      }
    }
    const isDone = level.ids.every(
      (id) => !["idle", "ready", "running"].includes(status(level, id)),
    );
    const hasFailed = level.ids.some(
      (id) => outOf(id).length === 0 && status(level, id) === "failed",
    );
    if (isDone || (hasFailed && graph.settings.failFast)) {
      endLevel(level, hasFailed ? "failed" : "completed");
    }
  };

  const endLevel = (level: Level, end: "completed" | "failed"): void => {
    level.end = end;
    if (level.loop === undefined) return;
    const { path } = level.loop;
    const isFailure = end === "failed" || answers.judge(level.prefix) === "failed";
    if (isFailure) {
      failures.set(path, (failures.get(path) ?? 0) + 1);
      if ((failures.get(path) ?? 0) > answers.tolerated(path)) stopLoop(path);
    }
    quieten(level);
  };
  const stopLoop = (path: string): void => {
    failedLoops.add(path);
    for (const level of levels.filter(({ loop }) => loop?.path === path && !loopIsGone(loop))) {
      if (level.end !== undefined) continue;
      level.end = "stopped";
      quieten(level);
    }
  };
  const quieten = (level: Level): void => {
    for (const id of level.ids.filter((each) => status(level, each) === "running")) {
      if (isLoop(id)) stopLoop(level.prefix + id);
      else if (!answers.finishes(level.prefix + id)) nodes.set(level.prefix + id, "abandoned");
    }
  };

  const open = (prefix: string, parent: string | undefined, loop: Level["loop"]): Level => {
    // An iteration that is a child run is a single node.
    const isRun = loop !== undefined && answers.isRuns(loop.path);
    const ids = isRun
      ? [`$${loop.id}`]
      : Object.keys(graph.nodes).filter((id) => nodeOf(id).parent === parent);
    const level: Level = { prefix, ids, loop, end: undefined };
    levels.push(level);
    spread(level);
    return level;
  };
  const levelOf = (path: string): Level => {
    const prefix = path.slice(0, path.lastIndexOf(".") + 1);
    const known = levels.find((level) => level.prefix === prefix);
    if (known !== undefined) return known;
    const [, loopPath = "", index = ""] = /^(.*)\.(\d+)\.$/.exec(prefix) ?? [];
    const above = levelOf(loopPath);
    const id = loopPath.slice(above.prefix.length);
    const begun = levels.filter(({ loop }) => loop?.path === loopPath);
    const busy = begun.filter((level) => !isQuiet(level)).length;
    if (status(above, id) !== "running" || failedLoops.has(loopPath) || abandoned.has(loopPath)) {
      throw new Error(`${prefix} began in a loop that is over`);
    }
    if (begun.length !== Number(index) || busy >= answers.concurrency(loopPath)) {
      throw new Error(`${prefix} began out of turn`);
    }
    return open(prefix, id, { path: loopPath, level: above, id });
  };
  const isQuiet = (level: Level): boolean =>
    level.end !== undefined && level.ids.every((id) => status(level, id) !== "running");

  const root = open("", undefined, undefined);
  for (const entry of log) {
    const level = levelOf(entry.path);
    const id = entry.path.slice(level.prefix.length);
    if (root.end !== undefined) {
      if (entry.kind === "begins") throw new Error(`${entry.path} began after the end`);
      if (status(level, id) === "running") nodes.set(entry.path, entry.outcome.kind);
      continue;
    }
    if (entry.kind === "begins") {
      if (status(level, id) !== "ready") throw new Error(`${entry.path} is ${status(level, id)}`);
      nodes.set(entry.path, "running");
      continue;
    }
    if (status(level, id) !== "running") continue;
    const { outcome } = entry;
    if (entry.kind === "loop ends") checkLoop(entry.path, outcome.kind);
    if (level.end !== undefined) {
      nodes.set(entry.path, outcome.kind);
      continue;
    }
    if (outcome.kind === "failed") fail(level, id, true);
    else if (outcome.kind === "skipped") leave(level, id, "skipped", () => "skipped");
    else {
      const { handles } = outcome;
      leave(level, id, "succeeded", (on) => (handles.includes(on) ? "taken" : "skipped"));
      const { type, params } = nodeOf(id);
      if (type.startsWith("end@") && params?.terminate === true) {
        for (const other of level.ids) abandon(level, other);
      }
    }
    spread(level);
  }

  function checkLoop(path: string, kind: string): void {
    const inside = levels.filter(({ loop }) => loop?.path === path);
    if (inside.some((level) => !isQuiet(level))) throw new Error(`${path} ended with open levels`);
    const failed = failedLoops.has(path) || !answers.isWhole(path, inside.length);
    if ((kind === "failed") !== failed) throw new Error(`${path} can't have ${kind}`);
  }
  return { nodes, edges, end: root.end };
}
