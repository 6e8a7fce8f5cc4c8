/** The errors of definitions, triggers and resources. Users import them from `@oxbow/declared/client`. */
import { OxbowError, type OxbowErrorOptions } from "./errors.ts";

/** No definition has this name, or it has no such version. */
export class DefinitionNotFound extends OxbowError {
  override readonly name: string = "DefinitionNotFound";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("DEFINITION_NOT_FOUND", message, options);
  }
}

/** No event of triggers has this id, or it is no longer kept. */
export class TriggerEventNotFound extends OxbowError {
  override readonly name: string = "TriggerEventNotFound";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("TRIGGER_EVENT_NOT_FOUND", message, options);
  }
}

/** A draft has another revision than the one that a change is based on. */
export class RevisionConflict extends OxbowError {
  override readonly name: string = "RevisionConflict";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("REVISION_CONFLICT", message, options);
  }

  /** The revision of the draft. */
  get revision(): number | undefined {
    const { revision } = this.facts;
    return typeof revision === "number" ? revision : undefined;
  }

  /** Who saved it. */
  get savedBy(): string | undefined {
    const { savedBy } = this.facts;
    return typeof savedBy === "string" ? savedBy : undefined;
  }
}

/** A definition can't be deleted: it has runs, or something starts it. */
export class DefinitionInUse extends OxbowError {
  override readonly name: string = "DefinitionInUse";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("DEFINITION_IN_USE", message, options);
  }
}

/** A resource can't be deleted, because something names it; `facts.owners` lists what does. */
export class ResourceInUse extends OxbowError {
  override readonly name: string = "ResourceInUse";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("RESOURCE_IN_USE", message, options);
  }
}

/** A protected table has no row with the id of a reference. */
export class ResourceNotFound extends OxbowError {
  override readonly name: string = "ResourceNotFound";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("RESOURCE_NOT_FOUND", message, options);
  }
}

/** The resources of a type could not be listed: no worker answered in time, or the `list` of the application failed. */
export class ResourcesNotListed extends OxbowError {
  override readonly name: string = "ResourcesNotListed";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("RESOURCES_NOT_LISTED", message, options);
  }
}

/** Something in the document of a definition that is wrong, or suspicious. Only errors prevent publishing. */
export interface DefinitionProblem {
  /** Upper case with underscores, such as `UNKNOWN_NODE`. Stable. */
  readonly code: string;
  readonly severity: "error" | "warning";
  /** Id of the node that has the problem, if it belongs to one. */
  readonly node?: string;
  /** Where it is in the document, as a JSON Pointer (RFC 6901). */
  readonly pointer: string;
  /** The part of the text at `pointer`, in UTF-16 units. Absent for the whole value. */
  readonly range?: { readonly start: number; readonly end: number };
  readonly message: string;
  /** Describes the remedy. */
  readonly hint: string;
}

/** The document of a definition can't be saved or published. */
export class InvalidDefinition extends OxbowError {
  override readonly name: string = "InvalidDefinition";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("INVALID_DEFINITION", message, options);
  }

  /** Everything that was found, errors first. */
  get problems(): readonly DefinitionProblem[] {
    const { problems } = this.facts;
    return Array.isArray(problems) ? (problems as readonly DefinitionProblem[]) : [];
  }
}

/** The definition is paused, archived or was never published, so it starts no runs. */
export class DefinitionInactive extends OxbowError {
  override readonly name: string = "DefinitionInactive";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("DEFINITION_INACTIVE", message, options);
  }
}

/** A run in progress can't continue with another version of its definition. */
export class NotMigratable extends OxbowError {
  override readonly name: string = "NotMigratable";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("NOT_MIGRATABLE", message, options);
  }
}
