/** The schemas that references such as `resource:Incident` name. */
import type { ResolveReference } from "../types/from-schema.ts";
import type { Catalog } from "./catalog.ts";

/** Resolves references to types of resources. */
export const resourceSchemas =
  (catalog: Pick<Catalog, "resourceType">): ResolveReference =>
  (reference) => {
    const [kind, name] = reference.split(":", 2);
    const isResource = kind === "resource" && name !== undefined;
    return isResource ? catalog.resourceType?.(name)?.schema : undefined;
  };
