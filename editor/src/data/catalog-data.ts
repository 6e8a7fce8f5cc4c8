/** The things that a definition may refer to, as plain data: what the palette, the forms and the checker are made of. */
import type { JsonSchema, NodeTypeDescription } from "@oxbow/declared/check";

/** A node type, as the editor shows it: `descriptorsOf` of `@oxbow/declared` returns those of a worker. */
export interface NodeTypeDescriptor extends NodeTypeDescription {
  /** Default: the type. */
  readonly title?: string;
  readonly description?: string;
  /** Section of the palette. Default: "Other". */
  readonly category?: string;
  /** A name of the editor's icons, such as `mail`; others show the first letter of the title. */
  readonly icon?: string;
  /** `none`: nothing outside of the run. Test runs replace calls that write by a sample. */
  readonly effects?: "none" | "reads" | "writes";
}

/** An event that starts runs. */
export interface TriggerDescriptor {
  /** A trigger type or a topic pattern: the `on` of triggers. */
  readonly on: string;
  /** Default: `on`. */
  readonly title?: string;
  /** Shown below the choice of the event. */
  readonly description?: string;
  /** Schema of the event. Default: any. */
  readonly event?: JsonSchema;
  /** Members of the event that are loaded after delivery. */
  readonly loaded?: readonly string[];
}

/** A kind of thing in the user's domain. */
export interface ResourceTypeDescriptor {
  /** Such as `Severity`. */
  readonly type: string;
  /** Default: the type. */
  readonly title?: string;
  /** The schema that `{"$ref": "resource:<type>"}` names. Default: any. */
  readonly schema?: JsonSchema;
  /** False: `findResources` doesn't know the type, and users enter ids. Default: true. */
  readonly isListed?: boolean;
}

/** A thing that users choose. */
export interface ResourceOption {
  /** The id that the document contains. */
  readonly id: string;
  /** The text that users see. */
  readonly title: string;
}

/** Another workflow, which steps can run. */
export interface WorkflowDescriptor {
  readonly name: string;
  /** Default: the name. */
  readonly title?: string;
  /** Default: any. */
  readonly input?: JsonSchema;
  /** Default: any. */
  readonly output?: JsonSchema;
  /** Names of the workflows that it runs. */
  readonly runs?: readonly string[];
}

/** Lists that are absent aren't checked, and their names are typed by hand. */
export interface CatalogData {
  /** Types that are built in may be absent. */
  readonly nodeTypes: readonly NodeTypeDescriptor[];
  /** Whether workers may know further node types: these are added by name, and accepted. Default: false. */
  readonly hasOtherNodeTypes?: boolean;
  /** Events of the application; `manual`, `webhook`, `schedule` and `run.ended` are offered as well. */
  readonly triggers?: readonly TriggerDescriptor[];
  /** Whether triggers may name topics as well, which users type. Default: only while `triggers` is absent. */
  readonly hasOtherTriggers?: boolean;
  /** Kinds of things that schemas name and users choose. */
  readonly resourceTypes?: readonly ResourceTypeDescriptor[];
  /** Names of secrets; their values never reach the editor. */
  readonly secrets?: readonly string[];
  /** Settings of the environment, with the schemas of their values. */
  readonly config?: readonly { readonly name: string; readonly schema?: JsonSchema }[];
  /** Workflows that steps can run. */
  readonly workflows?: readonly WorkflowDescriptor[];
}
