/** Definitions, straight to the database: each method one call of one SQL function. */
import {
  type StartedRun,
  type StartRequest,
  toSeconds,
  type RoomQueries,
} from "@oxbow/sdk/internal/rooms";
import type {
  AppliedDefinition,
  ApplyDefinitionsRequest,
  ConfigureDefinitionRequest,
  CapturedRequest,
  ConfigValue,
  CreateDefinitionRequest,
  DefinitionConditions,
  DefinitionRecord,
  DefinitionSummary,
  DefinitionTransport,
  DefinitionVersion,
  PublishDefinitionRequest,
  PublishedDefinition,
  RestoreDefinitionRequest,
  SaveDraftRequest,
  ServedDocument,
  StartedTest,
  MigrateRunRequest,
  MigrationOutcome,
  TestDefinitionRequest,
  VersionedDocument,
} from "../../../protocol/definitions.ts";
import type { TransactionClient } from "@oxbow/sdk";
import {
  captureRequest,
  databaseState,
  definitionApply,
  definitionArchive,
  definitionConfigDelete,
  definitionConfigList,
  definitionConfigSet,
  definitionConfigure,
  definitionCreate,
  definitionDelete,
  definitionDeleteTest,
  definitionMigrate,
  definitionDocuments,
  definitionEpoch,
  definitionGet,
  definitionList,
  definitionMove,
  definitionPause,
  definitionPublish,
  definitionRestore,
  definitionResume,
  definitionSaveDraft,
  definitionStart,
  definitionTest,
  definitionVersions,
} from "./functions.ts";

export class PostgresDefinitionTransport implements DefinitionTransport {
  readonly remote = undefined;
  readonly #queries: RoomQueries;

  constructor(queries: RoomQueries) {
    this.#queries = queries;
  }

  create(
    { name, document, folder, scope, isProtected, actor }: CreateDefinitionRequest,
    tx?: TransactionClient,
  ): Promise<number> {
    return this.#queries.value(
      definitionCreate,
      [name, document ?? null, folder ?? null, scope ?? null, isProtected ?? false, actor ?? null],
      { tx },
    );
  }

  saveDraft(
    { name, document, revision, actor }: SaveDraftRequest,
    tx?: TransactionClient,
  ): Promise<number> {
    return this.#queries.value(definitionSaveDraft, [name, document, revision, actor ?? null], {
      tx,
    });
  }

  publish(
    { name, revision, compiled, note, actor }: PublishDefinitionRequest,
    tx?: TransactionClient,
  ): Promise<PublishedDefinition> {
    return this.#queries.queryOne(
      definitionPublish,
      [name, revision, compiled ?? null, note ?? null, actor ?? null],
      { tx },
    );
  }

  restore(
    { name, version, revision, actor }: RestoreDefinitionRequest,
    tx?: TransactionClient,
  ): Promise<number> {
    return this.#queries.value(definitionRestore, [name, version, revision, actor ?? null], { tx });
  }

  archive(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(definitionArchive, [name], { tx });
  }

  delete(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(definitionDelete, [name], { tx });
  }

  async move(
    name: string,
    layout: string,
    version?: number,
    tx?: TransactionClient,
  ): Promise<void> {
    await this.#queries.value(definitionMove, [name, layout, version ?? null], { tx });
  }

  pause(name: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(definitionPause, [name, reason ?? null], { tx });
  }

  resume(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(definitionResume, [name], { tx });
  }

  configure(
    { name, folder, scope, isProtected, pool }: ConfigureDefinitionRequest,
    tx?: TransactionClient,
  ): Promise<boolean> {
    return this.#queries.value(
      definitionConfigure,
      [name, folder ?? null, scope ?? null, isProtected ?? null, pool ?? null],
      { tx },
    );
  }

  apply(
    { documents, publish, compiled, note, overwrite, actor }: ApplyDefinitionsRequest,
    tx?: TransactionClient,
  ): Promise<AppliedDefinition[]> {
    return this.#queries.query(
      definitionApply,
      [documents, publish, compiled ?? null, note ?? null, overwrite, actor ?? null],
      { tx },
    );
  }

  start(request: StartRequest, tx?: TransactionClient): Promise<StartedRun> {
    return this.#queries.queryOne(
      definitionStart,
      [
        request.workflow,
        request.input ?? null,
        request.version ?? null,
        request.idempotencyKey ?? null,
        request.retentionDays ?? null,
        toSeconds(request.delayMs),
        request.deadline?.toISOString() ?? null,
        request.tags ?? null,
        request.onRunning ?? null,
        request.onEnded ?? null,
        request.flowKey ?? null,
        request.priority ?? null,
        request.trace === undefined ? null : JSON.stringify(request.trace),
        request.startAt?.toISOString() ?? null,
        toSeconds(request.deadlineMs),
      ],
      { tx },
    );
  }

  test(
    { name, document, input, pins, options, actor }: TestDefinitionRequest,
    tx?: TransactionClient,
  ): Promise<StartedTest> {
    return this.#queries.queryOne(
      definitionTest,
      [name, document ?? null, input ?? null, pins ?? null, options ?? null, actor ?? null],
      { tx },
    );
  }

  deleteTest(name: string, runId: string, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(definitionDeleteTest, [name, runId], { tx });
  }

  migrate(
    { name, runId, version, compared }: MigrateRunRequest,
    tx?: TransactionClient,
  ): Promise<MigrationOutcome> {
    return this.#queries.value(definitionMigrate, [name, runId, version, compared ?? null], {
      tx,
    }) as Promise<MigrationOutcome>;
  }

  async get(name: string, tx?: TransactionClient): Promise<DefinitionRecord | undefined> {
    const [found] = await this.#queries.query(definitionGet, [name], { tx });
    return found;
  }

  list({
    name,
    folder,
    state,
    search,
    after,
    maxDefinitions,
  }: DefinitionConditions): Promise<DefinitionSummary[]> {
    return this.#queries.query(definitionList, [
      folder ?? null,
      state ?? null,
      search ?? null,
      after ?? null,
      maxDefinitions,
      name ?? null,
    ]);
  }

  versions(name: string): Promise<DefinitionVersion[]> {
    return this.#queries.query(definitionVersions, [name]);
  }

  async document(
    name: string,
    version: number | undefined,
  ): Promise<VersionedDocument | undefined> {
    const versions = version === undefined ? null : [version];
    const [found] = await this.#queries.query(definitionDocuments, [[name], versions]);
    return found;
  }

  documents(names: readonly string[]): Promise<VersionedDocument[]> {
    return this.#queries.query(definitionDocuments, [names, null]);
  }

  epoch(): Promise<string> {
    return this.#queries.value(definitionEpoch, []);
  }

  servedDocuments(
    versions: readonly Pick<ServedDocument, "name" | "version">[],
  ): Promise<ServedDocument[]> {
    return this.#queries.query(definitionDocuments, [
      versions.map(({ name }) => name),
      versions.map(({ version }) => version),
    ]);
  }

  config(): Promise<ConfigValue[]> {
    return this.servedConfig(undefined);
  }

  servedConfig(names: readonly string[] | undefined): Promise<ConfigValue[]> {
    return this.#queries.query(definitionConfigList, [names ?? null]);
  }

  async isSandbox(): Promise<boolean> {
    return (await this.#queries.queryOne(databaseState, [])).state === "sandbox";
  }

  captureRequest({ runId, key, method, url, headers, body }: CapturedRequest): Promise<boolean> {
    const shown = JSON.stringify({ method, headers });
    const content = body === undefined ? null : JSON.stringify(body);
    return this.#queries.value(captureRequest, [runId, key, url, content, shown], {
      repeatable: true,
    });
  }

  setConfig(name: string, value: string, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(definitionConfigSet, [name, value], { tx });
  }

  deleteConfig(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(definitionConfigDelete, [name], { tx });
  }
}
