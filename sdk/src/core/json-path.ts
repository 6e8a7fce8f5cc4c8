/** What is wrong with a part of a value, such as `$.items[3]` and `is a symbol: give a string`. */
export interface Misfit {
  readonly path: string;
  readonly problem: string;
}

/** The path of a member, given the path of its parent: `$.items[3]["odd key"]`. */
export function childPath(parent: string, key: string | number): string {
  if (typeof key === "number") return `${parent}[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${parent}.${key}` : `${parent}[${JSON.stringify(key)}]`;
}
