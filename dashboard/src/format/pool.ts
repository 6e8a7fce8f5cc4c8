/** Before the name of a pool, where other entries have that of a workflow. */
const PREFIX = "@";

/** The pool of such an entry; undefined for a workflow. */
export const poolOf = (name: string): string | undefined =>
  name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;
