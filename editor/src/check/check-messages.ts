/** What the editor and its worker send each other. */
import type { Document, Problem } from "@oxbow/declared/check";
import type { CatalogData } from "../data/catalog-data.ts";

export type CheckRequest =
  | { readonly kind: "catalog"; readonly catalog: CatalogData }
  | { readonly kind: "check"; readonly document: Document };

export interface CheckAnswer {
  readonly problems: readonly Problem[];
}
