/** Door `@oxbow/declared`: documents, and what runs them on a worker. */
export { contentHash } from "./document/content-hash.ts";
export type { Document } from "./document/document.ts";
