/** Types of resources: things of the application that documents name. */
import type { JsonSchema } from "../document/document.ts";
import { present } from "../document/json.ts";
import { jsonSchemaOf, type Schema } from "../nodes/json-schema.ts";

/** What a picker asks for. */
export interface ResourceQuery {
  /** Text that the title or the id contains; empty: all. A picker finds the title of a chosen resource by its id. */
  readonly text: string;
  /** `next` of the page before. */
  readonly after?: string;
  /** How many resources at most. */
  readonly limit: number;
  /** Scope of the definition, such as `{ org_id: "o1" }`; empty without one. List only what belongs to it. */
  readonly scope: Readonly<Record<string, unknown>>;
}

/** A page of resources for pickers. */
export interface ResourceList {
  /** Each with its id, as documents name it, and the title that people see. */
  readonly resources: readonly { readonly id: string; readonly title?: string }[];
  /** Where the next page begins: any text, which comes back as `after`. Leave it out on the last page. */
  readonly next?: string;
}

/** Lists resources of a type. */
export type ListResources = (
  query: ResourceQuery,
  call: { readonly signal: AbortSignal },
) => ResourceList | Promise<ResourceList>;

/** The argument of `defineResource`. */
export interface ResourceTypeOptions {
  /** Name of the type, as documents use it, such as `Severity`. */
  readonly type: string;
  /** Default: the name. */
  readonly title?: string;
  /** A resource, for the checker and for editors: `{"$ref": "resource:Severity"}` in other schemas stands for it. */
  readonly schema: Schema;
  /**
   * Returns the resources with these ids by id, for `resource()` in guards of triggers. An id that is missing in the result
   * doesn't exist. If it throws, the event is evaluated again later.
   */
  readonly get: (
    ids: readonly string[],
    call: { readonly signal: AbortSignal },
  ) => Promise<Readonly<Record<string, unknown>>>;
  /**
   * Lists resources for the pickers of editors, within 4 seconds. Default: people enter ids.
   *
   * @example
   * list: async ({ text, after, limit, scope }) => {
   *   const found = await severities.search(scope.org_id, text, { after, limit });
   *   return {
   *     resources: found.map(({ id, name }) => ({ id, title: name })),
   *     ...(found.length === limit ? { next: found.at(-1).id } : {}),
   *   };
   * },
   */
  readonly list?: ListResources;
  /** Where the application stores them, as information. */
  readonly table?: { readonly name: string; readonly id: string };
}

/** A type of resources that a worker knows. Immutable. */
export interface DefinedResource extends Pick<ResourceTypeOptions, "get" | "list" | "table"> {
  readonly type: string;
  readonly title: string | undefined;
  readonly schema: JsonSchema;
}

const NAME = /^[a-zA-Z][a-zA-Z0-9_.]{0,254}$/;

/**
 * Defines a type of resources.
 *
 * @throws RangeError if the name or the schema is invalid.
 * @example
 * const severity = defineResource({
 *   type: "Severity",
 *   schema: z.object({ name: z.string(), rank: z.number() }),
 *   get: async (ids) => Object.fromEntries((await severities.find(ids)).map((each) => [each.id, each])),
 *   table: { name: "app.severity", id: "id" },
 * });
 */
export function defineResource(options: ResourceTypeOptions): DefinedResource {
  const { type, title, schema, get, list, table } = options;
  if (!NAME.test(type)) {
    throw new RangeError(
      `Invalid type of resources "${type}": begin with a letter, and use letters, digits, "_" and ".".`,
    );
  }
  return Object.freeze({
    type,
    title,
    schema: jsonSchemaOf(schema, "output", `resources of type "${type}"`),
    get,
    ...present({ list, table }),
  });
}
