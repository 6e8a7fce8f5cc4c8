import { checkResourceName } from "../core/names.ts";
import { checkOptions, type OptionNames } from "../core/options.ts";
import type { ResourceTransport, ResourceType } from "../protocol/resources.ts";
import { type TransactionOptions, txOf } from "./transaction.ts";

export interface ProtectOptions extends TransactionOptions {
  /** Name of the table, with its schema unless the search path has it. */
  readonly table: string;
  /** Column of the ids, with a unique constraint. Default: `id`. */
  readonly id?: string;
}

const PROTECT: OptionNames<ProtectOptions> = { table: true, id: true, tx: true };

/** `client.resources`: types of things of the application that definitions name. */
export class Resources {
  readonly #transport: ResourceTransport;

  constructor(transport: ResourceTransport) {
    this.#transport = transport;
  }

  /** Lists the types that workers have registered, or that are protected, by name. */
  types(): Promise<ResourceType[]> {
    return this.#transport.types();
  }

  /**
   * Keeps rows of a table of the application from being deleted while something names them: a foreign key and a trigger
   * refuse the delete with SQLSTATE OX026, which names the owners. Requires a direct connection as the owner of the table.
   *
   * @returns False if the type was protected in this way.
   * @throws InvalidArgument; ResourceNotFound if something names a row that the table does not have
   * @example
   * await client.resources.protect("Severity", { table: "app.severity" });
   */
  async protect(type: string, options: ProtectOptions): Promise<boolean> {
    checkResourceName("type of resources", type);
    checkOptions(options, PROTECT, "resources.protect()");
    const { table, id = "id", tx } = options;
    return this.#transport.protect(type, table, id, tx);
  }

  /** Lets rows of a protected table be deleted again. @returns False if the type was not protected. */
  async unprotect(type: string, options?: TransactionOptions): Promise<boolean> {
    checkResourceName("type of resources", type);
    return this.#transport.unprotect(type, txOf(options, "resources.unprotect()"));
  }
}
