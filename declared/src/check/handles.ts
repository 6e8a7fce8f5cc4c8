/** Edges that leave by handles which don't exist, and handles that lead nowhere. */
import { type Document, handleOf } from "../document/document.ts";
import { childPointer } from "../document/pointer.ts";
import { errorAt, type Problem } from "../document/problem.ts";
import { ERROR } from "../graph/graph.ts";
import { hintOfClosest } from "../types/stepping.ts";
import type { NodeTypes } from "./node-types.ts";

export function handleProblems(document: Document, nodeTypes: NodeTypes): readonly Problem[] {
  const used = new Map<string, Set<string>>();
  const problems: Problem[] = [];
  for (const [at, edge] of (document.edges ?? []).entries()) {
    if (!Object.hasOwn(document.nodes, edge.from)) continue;
    const handle = handleOf(edge);
    const own = used.get(edge.from) ?? new Set();
    used.set(edge.from, own.add(handle));
    const handles = nodeTypes.handles(edge.from);
    if (handles === undefined || handle === ERROR || handles.includes(handle)) continue;
    problems.push(unknownHandle(at, edge.from, handle, handles));
  }
  for (const [id, handles] of used) problems.push(...unused(id, handles, nodeTypes));
  return problems;
}

function unknownHandle(
  at: number,
  from: string,
  handle: string,
  handles: readonly string[],
): Problem {
  const all = [...handles, ERROR].join(", ");
  const hint = hintOfClosest(handle, handles, `Leave it by ${all}.`);
  const message =
    handles.length === 0
      ? `nothing follows "${from}", which ends the run`
      : `"${from}" has no handle "${handle}"`;
  const pointer = childPointer(childPointer("/edges", at), "on");
  return { ...errorAt(pointer, "UNKNOWN_HANDLE", message, hint), node: from };
}

/** A node that leads somewhere by one handle and nowhere by another, such as a timeout. */
function unused(id: string, used: ReadonlySet<string>, nodeTypes: NodeTypes): readonly Problem[] {
  const handles = nodeTypes.handles(id) ?? [];
  const missing = handles.filter((handle) => handle !== "else" && !used.has(handle));
  if (missing.length === 0 || missing.length === handles.length || handles.length < 2) return [];
  const names = missing.map((handle) => `"${handle}"`).join(" and ");
  return [
    {
      code: "UNUSED_HANDLE",
      severity: "warning",
      node: id,
      pointer: childPointer("/nodes", id),
      message: `nothing follows when "${id}" takes ${names}`,
      hint: "Draw an edge from it, or leave it if the run may end there.",
    },
  ];
}
