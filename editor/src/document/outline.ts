/** What a canvas and lists of steps draw of a document. Typing into parameters rarely changes it. */
import { type Document, jsonEquals, type Node } from "@oxbow/declared/check";
import { edgesOf } from "./edits.ts";

/**
 * Returns the former document if the next one has the same steps in the same order, with the same titles, types, loops
 * and ways out, and the same connections; otherwise the next one.
 *
 * @param handlesOf - The ways out of a step.
 */
export function outlineOf(
  next: Document,
  former: Document,
  handlesOf: (node: Node) => readonly string[],
): Document {
  if (next === former) return former;
  const ids = Object.keys(next.nodes);
  const isSame =
    (next.edges === former.edges || jsonEquals(edgesOf(next), edgesOf(former))) &&
    haveSameOrder(ids, Object.keys(former.nodes)) &&
    ids.every((id) => {
      const [node, old] = [next.nodes[id], former.nodes[id]];
      if (node === old) return true;
      if (node === undefined || old === undefined) return false;
      return (
        node.title === old.title &&
        node.type === old.type &&
        node.parent === old.parent &&
        node.when === old.when &&
        jsonEquals(handlesOf(node), handlesOf(old))
      );
    });
  return isSame ? former : next;
}

const haveSameOrder = (ids: readonly string[], others: readonly string[]): boolean =>
  ids.length === others.length && ids.every((id, at) => id === others[at]);
