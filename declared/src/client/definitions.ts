import { type TransactionOptions } from "@oxbow/sdk";
import {
  checkOptions,
  checkWorkflowName,
  DefinitionNotFound,
  type DefinitionProblem,
  txOf,
} from "@oxbow/sdk/internal/rooms";
import type {
  AppliedDefinition,
  DefinitionChange,
  DefinitionDocument,
  DefinitionRecord,
  DefinitionSummary,
  DefinitionVersion,
  PublishedDefinition,
  VersionedDocument,
} from "../protocol/definitions.ts";
import type { DefinitionHook, EventExplanation, TriggerEvent } from "../protocol/triggers.ts";
import { Catalog } from "./catalog.ts";
import { Config } from "./config.ts";
import { compileAll, compileDraft, differencesOf, problemsOf } from "./definition-checking.ts";
import {
  APPLY,
  type ApplyOptions,
  CONFIGURE,
  type ConfigureOptions,
  CREATE,
  type CreateDefinitionOptions,
  type DefinitionFilter,
  DIFF,
  type DiffOptions,
  type Draft,
  EVENTS,
  EXPLAIN,
  type ExplainOptions,
  FILTER,
  PAUSE,
  type PauseOptions,
  PUBLISH,
  type PublishOptions,
  type TriggerEventFilter,
} from "./definition-options.ts";
import {
  allNames,
  checkRevision,
  type DefinitionParts,
  findDefinition,
  nameIn,
  needTools,
  textOf,
} from "./definition-parts.ts";
import { DefinitionRuns } from "./definition-runs.ts";
import { References } from "./references.ts";
import { Resources } from "./resources.ts";

/**
 * `definitionsOf(client)`: workflows as data. A definition has one draft, whose revision a save names, and published
 * versions, to which runs are pinned. Methods about runs are those of `DefinitionRuns`.
 */
export class Definitions extends DefinitionRuns {
  readonly config: Config;
  readonly resources: Resources;
  readonly references: References;
  readonly catalog: Catalog;
  readonly #parts: DefinitionParts;

  /** @internal Use {@link definitionsOf}. */
  constructor(parts: DefinitionParts) {
    super(parts);
    this.#parts = parts;
    const { calls, codec } = parts;
    this.config = new Config(calls.definitions);
    this.resources = new Resources(calls, codec);
    this.references = new References(calls.resources);
    this.catalog = new Catalog(calls);
  }

  /**
   * Creates a definition, as a draft.
   *
   * @param document - Need not be complete. A name creates one without nodes.
   * @returns The revision of the draft.
   * @throws InvalidName, InvalidDefinition, NameTaken, PayloadTooLarge
   * @example
   * await definitions.create({ format: 1, name: "page-on-major", nodes: {} }, { folder: "incidents" });
   */
  create(
    document: DefinitionDocument | string,
    options: CreateDefinitionOptions = {},
  ): Promise<number> {
    checkOptions(options, CREATE, "definitions.create()");
    const { folder, scope, isProtected, tx } = options;
    const name = typeof document === "string" ? document : nameIn(document);
    return this.#parts.calls.definitions.create(
      {
        name,
        document: typeof document === "string" ? undefined : textOf(document, name),
        folder,
        scope: scope === undefined ? undefined : textOf(scope, name),
        isProtected,
        actor: this.#parts.actor,
      },
      tx,
    );
  }

  /** Returns the draft, with the revision that a save names. @throws DefinitionNotFound */
  async draft(name: string): Promise<Draft> {
    const { draft, revision, draftBy, draftedAt, layout } = await findDefinition(this.#parts, name);
    return { document: draft, revision, savedBy: draftBy, savedAt: draftedAt, layout };
  }

  /**
   * Replaces the draft, if it still has this revision. Nothing is published.
   *
   * @param document - Need not be complete; it names the definition.
   * @param revision - Of the draft that the document replaces.
   * @returns The new revision.
   * @throws RevisionConflict if another one was saved since; DefinitionNotFound, InvalidDefinition, PayloadTooLarge
   */
  async save(
    document: DefinitionDocument,
    revision: number,
    options?: TransactionOptions,
  ): Promise<number> {
    const name = nameIn(document);
    checkRevision(revision, name);
    return this.#parts.calls.definitions.saveDraft(
      { name, document: textOf(document, name), revision, actor: this.#parts.actor },
      txOf(options, "definitions.save()"),
    );
  }

  /** Stores the positions of nodes on a canvas. Neither the revision nor a version changes. @throws DefinitionNotFound */
  async move(
    name: string,
    layout: Readonly<Record<string, unknown>>,
    options?: TransactionOptions,
  ): Promise<void> {
    checkWorkflowName(name);
    const tx = txOf(options, "definitions.move()");
    await this.#parts.calls.definitions.move(name, textOf(layout, name), undefined, tx);
  }

  /**
   * Checks a document, stored or not.
   *
   * @param document - A name checks the draft.
   * @returns Errors, which prevent publishing, then warnings.
   * @throws InvalidArgument straight to a database without `tools`; DefinitionNotFound
   */
  async validate(document: DefinitionDocument | string): Promise<readonly DefinitionProblem[]> {
    return problemsOf(this.#parts, document);
  }

  /**
   * Publishes the draft as a new version. Starts take it from now on; runs in progress stay with their versions.
   *
   * The checker of the server, or of `tools`, refuses errors, and accepts warnings.
   *
   * @param revision - Of the draft to publish, as the caller has seen it.
   * @throws InvalidDefinition, RevisionConflict, DefinitionNotFound; InvalidArgument straight to a database without
   *   `tools`, unless `unchecked`
   */
  async publish(
    name: string,
    revision: number,
    options: PublishOptions = {},
  ): Promise<PublishedDefinition> {
    checkWorkflowName(name);
    checkRevision(revision, name);
    checkOptions(options, PUBLISH, "definitions.publish()");
    const { note, tx } = options;
    const compiled = await compileDraft(this.#parts, { name, revision }, options);
    return this.#parts.calls.definitions.publish(
      { name, revision, compiled, note, actor: this.#parts.actor },
      tx,
    );
  }

  /**
   * Makes the document of a version the draft. Publish it to make it effective.
   *
   * @param revision - Of the draft that is replaced.
   * @returns The new revision.
   * @throws RevisionConflict, DefinitionNotFound
   */
  async restore(
    name: string,
    version: number,
    revision: number,
    options?: TransactionOptions,
  ): Promise<number> {
    checkWorkflowName(name);
    checkRevision(revision, name);
    return this.#parts.calls.definitions.restore(
      { name, version, revision, actor: this.#parts.actor },
      txOf(options, "definitions.restore()"),
    );
  }

  /** Archives a definition: it starts no runs until it is published again. @returns False if it was archived. @throws DefinitionNotFound */
  async archive(name: string, options?: TransactionOptions): Promise<boolean> {
    checkWorkflowName(name);
    return this.#parts.calls.definitions.archive(name, txOf(options, "definitions.archive()"));
  }

  /**
   * Deletes a definition with its versions.
   *
   * @returns False if no definition has this name.
   * @throws DefinitionInUse while it has runs, or something starts it
   */
  async delete(name: string, options?: TransactionOptions): Promise<boolean> {
    checkWorkflowName(name);
    return this.#parts.calls.definitions.delete(name, txOf(options, "definitions.delete()"));
  }

  /** Pauses a definition: it starts no runs until it is resumed. @returns False if it was paused. @throws DefinitionNotFound */
  async pause(name: string, options: PauseOptions = {}): Promise<boolean> {
    checkWorkflowName(name);
    checkOptions(options, PAUSE, "definitions.pause()");
    return this.#parts.calls.definitions.pause(name, options.reason, options.tx);
  }

  /** Resumes a paused definition. @returns False if it was not paused. @throws DefinitionNotFound */
  async resume(name: string, options?: TransactionOptions): Promise<boolean> {
    checkWorkflowName(name);
    return this.#parts.calls.definitions.resume(name, txOf(options, "definitions.resume()"));
  }

  /** Changes folder, scope, protection or pool. @returns Whether anything has changed. @throws DefinitionNotFound */
  async configure(name: string, options: ConfigureOptions): Promise<boolean> {
    checkWorkflowName(name);
    checkOptions(options, CONFIGURE, "definitions.configure()");
    const { folder, scope, isProtected, pool, tx } = options;
    return this.#parts.calls.definitions.configure(
      {
        name,
        folder: folder === null ? "" : folder,
        scope: scope === undefined ? undefined : JSON.stringify(scope),
        isProtected,
        pool: pool === null ? "" : pool,
      },
      tx,
    );
  }

  /** Returns a definition with its draft; undefined if no definition has this name. */
  async get(name: string): Promise<DefinitionRecord | undefined> {
    checkWorkflowName(name);
    return this.#parts.calls.definitions.get(name);
  }

  /** Returns a page of definitions in the order of their names. */
  async list(filter: DefinitionFilter = {}): Promise<DefinitionSummary[]> {
    checkOptions(filter, FILTER, "definitions.list()");
    const { folder, state, search, after, limit = 100 } = filter;
    return this.#parts.calls.definitions.list({
      folder,
      state,
      search,
      after,
      maxDefinitions: limit,
    });
  }

  /** Returns the versions of a definition, newest first. */
  async versions(name: string): Promise<DefinitionVersion[]> {
    checkWorkflowName(name);
    return this.#parts.calls.definitions.versions(name);
  }

  /**
   * Returns a version with its document; undefined if it does not exist.
   * @param version - Default: the published one.
   */
  async version(name: string, version?: number): Promise<VersionedDocument | undefined> {
    checkWorkflowName(name);
    return this.#parts.calls.definitions.document(name, version);
  }

  /**
   * Lists what differs between two documents of a definition, by node and pointer.
   *
   * @param options - Default: from the published version to the draft.
   * @throws InvalidArgument straight to a database without `tools`; DefinitionNotFound
   */
  async diff(name: string, options: DiffOptions = {}): Promise<readonly DefinitionChange[]> {
    checkWorkflowName(name);
    checkOptions(options, DIFF, "definitions.diff()");
    return differencesOf(this.#parts, name, options);
  }

  /**
   * Lists events that triggers were evaluated for, the newest first. They are kept for 7 days, failed ones for 30.
   *
   * @param filter - `definition`: events that reach its triggers, whether they matched or not.
   * @throws DefinitionNotFound
   * @example
   * const [last] = await definitions.events({ definition: "page-on-major", limit: 1 });
   */
  async events(filter: TriggerEventFilter = {}): Promise<TriggerEvent[]> {
    checkOptions(filter, EVENTS, "definitions.events()");
    const { definition, topic, state, before, limit = 50 } = filter;
    if (definition !== undefined) checkWorkflowName(definition);
    return this.#parts.calls.triggers.events({
      name: definition,
      topic,
      state,
      before,
      maxEvents: limit,
    });
  }

  /**
   * Lists the webhook triggers of the published version, with the addresses to which deliveries are posted. Over HTTP,
   * which requires the scope `publish`, they have their secrets. The list is empty if the definition is not published.
   *
   * @example
   * const [{ path, secrets }] = await definitions.hooks("deploy-on-push");
   */
  async hooks(name: string): Promise<DefinitionHook[]> {
    checkWorkflowName(name);
    return this.#parts.calls.triggers.hooks(name);
  }

  /**
   * Explains what an event came to for each trigger of a definition: the run that it started, or the first reason for
   * which it started no run, with each condition of the guard and the values that it read.
   *
   * @param options - `version`: whose triggers are asked. Default: the published one.
   * @throws DefinitionNotFound, TriggerEventNotFound; InvalidArgument straight to a database without `tools`
   * @example
   * const { triggers } = await definitions.explain("page-on-major", last.eventId);
   * console.log(triggers[0]?.reason);
   */
  async explain(
    name: string,
    eventId: string,
    options: ExplainOptions = {},
  ): Promise<EventExplanation> {
    checkWorkflowName(name);
    checkOptions(options, EXPLAIN, "definitions.explain()");
    const { version } = options;
    const { remote } = this.#parts.calls.definitions;
    if (this.#parts.tools === undefined && remote !== undefined) {
      return remote.explain(name, eventId, version);
    }
    const tools = needTools(this.#parts, "explain()");
    const { triggers } = this.#parts.calls;
    const facts = await triggers.facts(name, eventId, version);
    return tools.explain(facts, (key) => triggers.once(name, key));
  }

  /**
   * Forgets that a definition has started its one run for values of `once_for`: the next event that has them starts
   * another.
   *
   * @param onceKey - As `events` and `explain` show it.
   * @returns False if no event has had the values.
   */
  forgetOnce(name: string, onceKey: string, options: TransactionOptions = {}): Promise<boolean> {
    checkWorkflowName(name);
    const tx = txOf(options, "definitions.forgetOnce()");
    return this.#parts.calls.triggers.forgetOnce(name, onceKey, tx);
  }

  /**
   * Returns published documents, to be applied to another database.
   *
   * @param names - Default: all that are published or paused.
   * @throws DefinitionNotFound if one of them isn't published
   */
  async export(names?: readonly string[]): Promise<DefinitionDocument[]> {
    const wanted = names ?? (await allNames(this.#parts));
    const found = await this.#parts.calls.definitions.documents(wanted);
    const missing = names?.find((name) => !found.some((each) => each.name === name));
    if (missing !== undefined) {
      throw new DefinitionNotFound(`Definition "${missing}" has no published version.`);
    }
    return found.map(({ document }) => document);
  }

  /**
   * Creates or changes definitions, atomically. Only their drafts, unless `publish`.
   *
   * @returns What became of each, in the order of names.
   * @throws InvalidDefinition; RevisionConflict for a draft that was changed and not published, unless `overwrite`;
   *   NameTaken, PayloadTooLarge; InvalidArgument for `publish` without a checker, as for `publish()`
   */
  async apply(
    documents: readonly DefinitionDocument[],
    options: ApplyOptions = {},
  ): Promise<AppliedDefinition[]> {
    checkOptions(options, APPLY, "definitions.apply()");
    const { publish = false, note, overwrite = false, tx } = options;
    const compiled = publish ? await compileAll(this.#parts, documents, options) : undefined;
    return this.#parts.calls.definitions.apply(
      {
        documents: documents.map((document) => textOf(document, nameIn(document))),
        publish,
        compiled,
        note,
        overwrite,
        actor: this.#parts.actor,
      },
      tx,
    );
  }
}
