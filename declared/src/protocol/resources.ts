/** Resources: things of the application that definitions name, and what names them. */
import type { JsonText } from "@oxbow/sdk/internal/rooms";
import type { TransactionClient } from "@oxbow/sdk";

/** A type of resources that a worker registers. */
export interface ResourceTypeRegistration {
  readonly name: string;
  readonly title: string | undefined;
  /** JSON Schema of a resource. */
  readonly schema: JsonText | undefined;
  /** Where the application stores them, as information. */
  readonly table: { readonly name: string; readonly id: string } | undefined;
  /** Whether the workers list its resources. */
  readonly isListed: boolean;
}

/** Registers the types of resources that the workers of a pool know. */
interface RegisterResourceTypesRequest {
  readonly pool: string;
  readonly types: readonly ResourceTypeRegistration[];
  /** False: only reports that the types are known. */
  readonly replace: boolean;
}

/** A type of resources as `resources.types` returns it. */
export interface ResourceType {
  readonly name: string;
  readonly title: string | null;
  /** JSON Schema of a resource; null for any value. */
  readonly schema: unknown;
  /** Pool of the workers that know it. */
  readonly pool: string;
  /** Whether workers list its resources, as one has reported within 20 minutes. */
  readonly isListed: boolean;
  /** Where the application stores them, as its workers name it. */
  readonly tableName: string | null;
  readonly idColumn: string | null;
  /** The table that is protected; empty if the application has dropped it; null without protection. */
  readonly protectedTable: string | null;
  readonly protectedColumn: string | null;
  /** Null if it is protected, but no worker has registered it. */
  readonly registeredAt: Date | null;
}

/** A place at which an owner names a resource. */
export interface ReferenceOwner {
  /** `definition`, or a kind of object of the application. */
  readonly ownerType: string;
  /** Name of the definition, or id of the object. */
  readonly ownerId: string;
  readonly title: string | null;
  /** Null for a draft, or an owner without versions. */
  readonly version: number | null;
  /** `archived`: a version with runs in progress. `current`: of an owner without versions. */
  readonly state: "draft" | "published" | "archived" | "current";
  /** Where it is in the owner, as a JSON Pointer. */
  readonly pointer: string;
  /** Whether the resource must not be deleted for its sake: false for drafts. */
  readonly protects: boolean;
}

/** A resource that an object of the application names. */
export interface ResourceUse {
  readonly type: string;
  readonly id: string;
  /** Where the object names it, as a JSON Pointer. Default: the whole object. */
  readonly pointer?: string;
}

interface SetReferencesRequest {
  readonly ownerType: string;
  readonly ownerId: string;
  readonly title: string | undefined;
  readonly resources: readonly ResourceUse[];
}

/** Asks for resources of a type. */
export interface ResourceListRequest {
  readonly type: string;
  /** Text that the title or the id contains; empty: all. */
  readonly text: string;
  /** Where the page before ended. */
  readonly after: string | undefined;
  /** How many resources at most. */
  readonly limit: number;
  /** Name of a definition, whose scope the application receives. */
  readonly definition: string | undefined;
}

/** A resource in a list. */
export interface ListedResource {
  /** The id by which documents name it. */
  readonly id: string;
  /** The text that people see. */
  readonly title: string;
}

/** A page of resources. */
export interface ResourcePage {
  readonly resources: readonly ListedResource[];
  /** Pass it as `after` for the next page; null after the last page. */
  readonly next: string | null;
}

export interface ResourceTransport {
  /** Lists through a server, which asks the workers. Without this method, the caller asks them, by `listResources`. */
  list?(request: ResourceListRequest): Promise<ResourcePage>;
  /** Starts a run that lists resources. Returns its id. */
  startList(type: string, input: JsonText | undefined): Promise<string>;
  /** Returns how many types were written. */
  register(request: RegisterResourceTypesRequest): Promise<number>;
  types(): Promise<ResourceType[]>;
  referencesTo(type: string, id: string, tx?: TransactionClient): Promise<ReferenceOwner[]>;
  setReferences(request: SetReferencesRequest, tx?: TransactionClient): Promise<boolean>;
  /** Returns how many drafts name it. */
  assertUnreferenced(type: string, id: string, tx?: TransactionClient): Promise<number>;
  protect(type: string, table: string, idColumn: string, tx?: TransactionClient): Promise<boolean>;
  unprotect(type: string, tx?: TransactionClient): Promise<boolean>;
}
