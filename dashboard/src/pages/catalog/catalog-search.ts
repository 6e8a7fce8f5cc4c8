/** The node type that is shown, and the resource whose references are, as the address has them. */
export interface CatalogSearch {
  /** Text in a node type. */
  text?: string | undefined;
  pool?: string | undefined;
  /** A node type with its version: `slack.post@2`. */
  node?: string | undefined;
  /** Type of a resource. */
  resource?: string | undefined;
  /** Id of a resource. */
  id?: string | undefined;
}

const LONGEST = 256;
const NAMES = ["text", "pool", "node", "resource", "id"] as const;

export function readCatalogSearch(given: Record<string, unknown>): CatalogSearch {
  const search: CatalogSearch = {};
  for (const name of NAMES) {
    const value = given[name];
    if (typeof value === "string" && value.trim() !== "")
      search[name] = value.trim().slice(0, LONGEST);
  }
  return search;
}
