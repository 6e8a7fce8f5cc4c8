/** References of a document, collected while it is checked, and stored when it is published. */

/** A use of a resource. */
export interface ResourceReference {
  readonly type: string;
  readonly id: string;
  /** Where it is in the document, as a JSON Pointer. */
  readonly pointer: string;
}

/** Everything that a document refers to; names once each, in order. */
export interface References {
  readonly resources: readonly ResourceReference[];
  readonly nodeTypes: readonly string[];
  readonly secrets: readonly string[];
  readonly configs: readonly string[];
  readonly workflows: readonly string[];
}

export class ReferenceCollector {
  private readonly resources = new Map<string, ResourceReference>();
  private readonly names = {
    nodeTypes: new Set<string>(),
    secrets: new Set<string>(),
    configs: new Set<string>(),
    workflows: new Set<string>(),
  };

  addResource(reference: ResourceReference): void {
    this.resources.set(
      JSON.stringify([reference.pointer, reference.type, reference.id]),
      reference,
    );
  }

  add(kind: keyof ReferenceCollector["names"], name: string): void {
    this.names[kind].add(name);
  }

  collected(): References {
    return {
      resources: [...this.resources.values()],
      nodeTypes: sorted(this.names.nodeTypes),
      secrets: sorted(this.names.secrets),
      configs: sorted(this.names.configs),
      workflows: sorted(this.names.workflows),
    };
  }
}

const sorted = (names: ReadonlySet<string>): readonly string[] => [...names].toSorted();
