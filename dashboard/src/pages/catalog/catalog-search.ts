/** The node type that is shown, and the resource whose references are, as the address has them. */
import { searchReader, text } from "../../format/search.ts";

const LONGEST = 256;

export const readCatalogSearch = searchReader({
  /** Text in a node type. */
  text: text(LONGEST),
  pool: text(LONGEST),
  /** A node type with its version: `slack.post@2`. */
  node: text(LONGEST),
  /** Type of a resource. */
  resource: text(LONGEST),
  /** Id of a resource. */
  id: text(LONGEST),
});

export type CatalogSearch = ReturnType<typeof readCatalogSearch>;
