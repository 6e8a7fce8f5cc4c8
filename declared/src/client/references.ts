import { InvalidArgument, type TransactionOptions } from "@oxbow/sdk";
import { checkPlainName, checkOptions, type OptionNames, txOf } from "@oxbow/sdk/internal/rooms";
import type { ReferenceOwner, ResourceTransport, ResourceUse } from "../protocol/resources.ts";

/** An object of the application that names resources, such as a policy. */
export interface ReferenceHolder {
  /** Kind of the object. `definition` is reserved. */
  readonly type: string;
  readonly id: string;
  /** Title in lists. Default: the id. */
  readonly title?: string;
}

const HOLDER: OptionNames<ReferenceHolder> = { type: true, id: true, title: true };
const USE: OptionNames<ResourceUse> = { type: true, id: true, pointer: true };

/** `definitions.references`: what names a resource. */
export class References {
  readonly #transport: ResourceTransport;

  constructor(transport: ResourceTransport) {
    this.#transport = transport;
  }

  /**
   * Lists what names a resource: drafts, published versions and archived versions with runs in progress of definitions, and
   * objects of `set`.
   *
   * @example
   * const owners = await definitions.references.to("Severity", "01FD7");
   * const users = owners.filter(({ protects }) => protects).map(({ ownerId }) => ownerId);
   */
  async to(type: string, id: string, options?: TransactionOptions): Promise<ReferenceOwner[]> {
    checkResource(type, id);
    return this.#transport.referencesTo(type, id, txOf(options, "references.to()"));
  }

  /**
   * Replaces the references of an object of the application, which then keeps these resources. Pass the transaction that
   * changes the object.
   *
   * @param resources - All resources that the object names; an empty list removes its references.
   * @returns Whether anything has changed.
   * @throws ResourceNotFound for a resource that a protected table does not have; InvalidArgument, InvalidName
   */
  async set(
    holder: ReferenceHolder,
    resources: readonly ResourceUse[],
    options?: TransactionOptions,
  ): Promise<boolean> {
    checkOptions(holder, HOLDER, "references.set()");
    const { type: ownerType, id: ownerId, title } = holder;
    checkPlainName("type of owner", ownerType);
    checkPlainName("owner", ownerId);
    for (const use of resources) {
      checkOptions(use, USE, "a resource of references.set()");
      checkResource(use.type, use.id);
    }
    if (ownerType === "definition") {
      throw new InvalidArgument(
        "References of a definition are those of its document: save or publish it, or choose another type of owner.",
      );
    }
    const tx = txOf(options, "references.set()");
    return this.#transport.setReferences({ ownerType, ownerId, title, resources }, tx);
  }

  /**
   * Rejects if something names a resource that must not be deleted then. Pass the transaction that deletes the resource, or
   * that marks it as deleted.
   *
   * @returns How many drafts name it, which do not keep it.
   * @throws ResourceInUse with the owners in `facts.owners`
   */
  async assertNone(type: string, id: string, options?: TransactionOptions): Promise<number> {
    checkResource(type, id);
    const tx = txOf(options, "references.assertNone()");
    return this.#transport.assertUnreferenced(type, id, tx);
  }
}

function checkResource(type: unknown, id: unknown): void {
  checkPlainName("type of resources", type);
  checkPlainName("resource", id);
}
