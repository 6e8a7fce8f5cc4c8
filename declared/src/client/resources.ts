import { type Codec, InvalidArgument, type TransactionOptions } from "@oxbow/sdk";
import {
  checkPlainName,
  checkWorkflowName,
  checkOptions,
  type OptionNames,
  txOf,
} from "@oxbow/sdk/internal/rooms";
import {
  listResources,
  RESOURCE_LIST,
  type ListingTransport,
} from "../protocol/resource-listing.ts";
import type { ResourcePage, ResourceTransport, ResourceType } from "../protocol/resources.ts";

export interface ProtectOptions extends TransactionOptions {
  /** Name of the table, with its schema unless the search path has it. */
  readonly table: string;
  /** Column of the ids, with a unique constraint. Default: `id`. */
  readonly id?: string;
}

/** Selects resources of a type. */
export interface ListResourcesOptions {
  /** Text that the title or the id contains. Default: all. */
  readonly search?: string;
  /** `next` of the page before. */
  readonly after?: string;
  /** 1 to 100. Default: 20. */
  readonly limit?: number;
  /** Name of a definition, whose scope the application receives: it lists what the definition may name. */
  readonly definition?: string;
}

const LIST: OptionNames<ListResourcesOptions> = {
  search: true,
  after: true,
  limit: true,
  definition: true,
};

const PROTECT: OptionNames<ProtectOptions> = { table: true, id: true, tx: true };

/** `definitions.resources`: types of things of the application that definitions name. */
export class Resources {
  readonly #parts: ListingTransport & { readonly resources: ResourceTransport };
  readonly #codec: Codec | undefined;

  constructor(
    parts: ListingTransport & { readonly resources: ResourceTransport },
    codec: Codec | undefined,
  ) {
    this.#parts = parts;
    this.#codec = codec;
  }

  /** Lists the types that workers have registered, or that are protected, by name. */
  types(): Promise<ResourceType[]> {
    return this.#parts.resources.types();
  }

  /**
   * Lists resources of a type, a page at a time, by the `list` of the application, which a worker calls.
   *
   * @throws InvalidArgument for a type that workers don't list; DefinitionNotFound; ResourcesNotListed if no worker answers
   *   within 5 seconds, or the `list` fails
   * @example
   * const { resources, next } = await definitions.resources.list("Severity", { search: "major" });
   */
  async list(type: string, options: ListResourcesOptions = {}): Promise<ResourcePage> {
    checkPlainName("type of resources", type);
    checkOptions(options, LIST, "resources.list()");
    const { search = "", after, limit = RESOURCE_LIST.defaultLimit, definition } = options;
    if (!Number.isInteger(limit) || limit < 1 || limit > RESOURCE_LIST.largestLimit) {
      throw new InvalidArgument(
        `Invalid limit ${limit}: give a whole number from 1 to ${RESOURCE_LIST.largestLimit}.`,
      );
    }
    for (const [name, text] of Object.entries({ search, after })) {
      if ((text?.length ?? 0) > RESOURCE_LIST.longestText) {
        throw new InvalidArgument(
          `Invalid ${name}: it has more than ${RESOURCE_LIST.longestText} characters.`,
        );
      }
    }
    if (definition !== undefined) checkWorkflowName(definition);
    const request = { type, text: search, after, limit, definition };
    return this.#parts.resources.list === undefined
      ? listResources(this.#parts, request, { codec: this.#codec })
      : this.#parts.resources.list(request);
  }

  /**
   * Keeps rows of a table of the application from being deleted while something names them: a foreign key and a trigger
   * refuse the delete with SQLSTATE OX026, which names the owners. Requires a direct connection as the owner of the table.
   *
   * @returns False if the type was protected in this way.
   * @throws InvalidArgument; ResourceNotFound if something names a row that the table does not have
   * @example
   * await definitions.resources.protect("Severity", { table: "app.severity" });
   */
  async protect(type: string, options: ProtectOptions): Promise<boolean> {
    checkPlainName("type of resources", type);
    checkOptions(options, PROTECT, "resources.protect()");
    const { table, id = "id", tx } = options;
    return this.#parts.resources.protect(type, table, id, tx);
  }

  /** Lets rows of a protected table be deleted again. @returns False if the type was not protected. */
  async unprotect(type: string, options?: TransactionOptions): Promise<boolean> {
    checkPlainName("type of resources", type);
    return this.#parts.resources.unprotect(type, txOf(options, "resources.unprotect()"));
  }
}
