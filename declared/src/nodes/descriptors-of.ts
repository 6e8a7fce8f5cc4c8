import type { NodeDescriptor } from "./descriptor.ts";
import { BUILT_IN_NODE_TYPES } from "./descriptors/built-in.ts";
import type { NodeType } from "./node-type.ts";

/**
 * Returns the descriptors of all node types that a worker knows: the built-in ones and its own, as JSON. The catalog keeps
 * them, so that the checker and editors need neither worker nor handlers.
 *
 * @param own Node types of the worker; one with the name and version of a built-in type replaces it.
 */
export function descriptorsOf(own: readonly NodeType[] = []): readonly NodeDescriptor[] {
  const all = [...BUILT_IN_NODE_TYPES, ...own.map(({ descriptor }) => descriptor)];
  return [...new Map(all.map((descriptor) => [descriptor.type, descriptor])).values()];
}
