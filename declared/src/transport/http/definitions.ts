/** Definitions, through the server, which has the checker. */
import { InvalidArgument, type TransactionClient } from "@oxbow/sdk";
import {
  jsonOf,
  type JsonText,
  orUndefined,
  refuseTx,
  type RequestOptions,
  type Shown,
  startBody,
  type StartedRun,
  type StartRequest,
  toDates,
} from "@oxbow/sdk/internal/rooms";
import type {
  AppliedDefinition,
  ApplyDefinitionsRequest,
  CapturedRequest,
  ConfigureDefinitionRequest,
  ConfigValue,
  CreateDefinitionRequest,
  DefinitionConditions,
  DefinitionDocument,
  DefinitionRecord,
  DefinitionSummary,
  DefinitionTransport,
  DefinitionVersion,
  MigrationOutcome,
  PublishDefinitionRequest,
  PublishedDefinition,
  RemoteDefinitionTools,
  RestoreDefinitionRequest,
  SaveDraftRequest,
  ServedDocument,
  StartedTest,
  TestDefinitionRequest,
  VersionedDocument,
} from "../../protocol/definitions.ts";
import type { EventExplanation, OnceHolder, TriggerExplanation } from "../../protocol/triggers.ts";
import { followProgress } from "./definition-progress.ts";
import { queryOf, ServerRoom } from "./server-room.ts";

const INSTANTS = [
  "draftedAt",
  "publishedAt",
  "createdAt",
  "pausedAt",
  "archivedAt",
] as const satisfies readonly (keyof DefinitionSummary)[];

export class HttpDefinitionTransport extends ServerRoom implements DefinitionTransport {
  readonly remote: RemoteDefinitionTools = {
    validate: (name, document) =>
      this.ask("problems", `${pathOf(name)}/validate`, {
        body: jsonOf({}, { document }),
        isRead: true,
      }),
    diff: (name, from, to) => this.ask("changes", `${pathOf(name)}/diff${queryOf({ from, to })}`),
    explain: async (name, eventId, version) =>
      toExplanation(
        await this.connection.ask<ShownExplanation>(`${pathOf(name)}/explain`, {
          body: JSON.stringify({ eventId, version }),
          isRead: true,
        }),
      ),
    migrate: ({ name, runId, version, waitMs }) =>
      this.connection.ask(`${pathOf(name)}/runs/${runId}/migrate`, {
        body: JSON.stringify({ version, waitSeconds: waitMs / 1_000 }),
      }),
    rerun: ({ name, runId, node, version }) =>
      this.connection.ask(`${pathOf(name)}/runs/${runId}/rerun`, {
        body: JSON.stringify({ node, version }),
      }),
    progress: (runId, signal) =>
      this.connection.ask(`/v1/runs/${runId}/progress`, { method: "GET", signal }),
    followProgress: (runId, after, signal) => followProgress(this.connection, runId, after, signal),
  };

  create(
    { document, scope, actor, ...rest }: CreateDefinitionRequest,
    tx?: TransactionClient,
  ): Promise<number> {
    const body = jsonOf(rest, { document, scope });
    return this.ask("revision", ROOT, { body, headers: by(actor) }, tx);
  }

  saveDraft(
    { name, document, revision, actor }: SaveDraftRequest,
    tx?: TransactionClient,
  ): Promise<number> {
    const headers = { ...by(actor), ...ifMatch(revision) };
    const options = { method: "PUT", body: document, headers } as const;
    return this.ask("revision", `${pathOf(name)}/draft`, options, tx);
  }

  async publish(
    { name, revision, note, actor }: PublishDefinitionRequest,
    tx?: TransactionClient,
  ): Promise<PublishedDefinition> {
    refuseTx(tx);
    const { version, created } = await this.connection.ask<PublishedDefinition>(
      `${pathOf(name)}/publish`,
      { body: JSON.stringify({ note }), headers: { ...by(actor), ...ifMatch(revision) } },
    );
    return { version, created };
  }

  restore(
    { name, version, revision, actor }: RestoreDefinitionRequest,
    tx?: TransactionClient,
  ): Promise<number> {
    const headers = { ...by(actor), ...ifMatch(revision) };
    const options = { body: JSON.stringify({ version }), headers };
    return this.ask("revision", `${pathOf(name)}/restore`, options, tx);
  }

  archive(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.ask("changed", `${pathOf(name)}/archive`, {}, tx);
  }

  delete(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.ask("deleted", pathOf(name), { method: "DELETE" }, tx);
  }

  async move(
    name: string,
    layout: JsonText,
    version?: number,
    tx?: TransactionClient,
  ): Promise<void> {
    refuseTx(tx);
    const path = `${pathOf(name)}/layout${queryOf({ version })}`;
    await this.connection.ask(path, { method: "PUT", body: layout });
  }

  pause(name: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean> {
    return this.ask("changed", `${pathOf(name)}/pause${queryOf({ reason })}`, {}, tx);
  }

  resume(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.ask("changed", `${pathOf(name)}/resume`, {}, tx);
  }

  configure(
    { name, scope, ...rest }: ConfigureDefinitionRequest,
    tx?: TransactionClient,
  ): Promise<boolean> {
    const options = { method: "PATCH", body: jsonOf(rest, { scope }) } as const;
    return this.ask("changed", pathOf(name), options, tx);
  }

  apply(
    { documents, publish, note, overwrite, actor }: ApplyDefinitionsRequest,
    tx?: TransactionClient,
  ): Promise<AppliedDefinition[]> {
    const body = jsonOf({ publish, note, overwrite }, { documents: `[${documents.join(",")}]` });
    return this.ask("definitions", ROOT, { method: "PUT", body, headers: by(actor) }, tx);
  }

  async start(
    { hasEncodedInput = false, ...request }: StartRequest & { readonly hasEncodedInput?: boolean },
    tx?: TransactionClient,
  ): Promise<StartedRun> {
    refuseTx(tx);
    const query = hasEncodedInput ? "?hasEncodedInput=true" : "";
    return this.connection.ask<StartedRun>(`${pathOf(request.workflow)}/runs${query}`, {
      body: startBody(request),
    });
  }

  async test(
    { name, document, input, pins, options = "{}", actor, origin }: TestDefinitionRequest,
    tx?: TransactionClient,
  ): Promise<StartedTest> {
    refuseTx(tx);
    return this.connection.ask<StartedTest>(`${pathOf(name)}/tests`, {
      body: jsonOf({ ...(JSON.parse(options) as object), ...origin }, { document, input, pins }),
      headers: by(actor),
    });
  }

  deleteTest(name: string, runId: string, tx?: TransactionClient): Promise<boolean> {
    return this.ask("deleted", `${pathOf(name)}/tests/${runId}`, { method: "DELETE" }, tx);
  }

  /** The server compares and moves in one request. */
  migrate(): Promise<MigrationOutcome> {
    return Promise.reject(
      new InvalidArgument("A run is migrated by a server, or by a client of the database."),
    );
  }

  async get(name: string, tx?: TransactionClient): Promise<DefinitionRecord | undefined> {
    refuseTx(tx);
    const shown = await orUndefined(
      this.connection.ask<
        Shown<DefinitionSummary> & { draft: DefinitionDocument; layout: unknown }
      >(pathOf(name), { method: "GET" }),
      "DEFINITION_NOT_FOUND",
    );
    return shown === undefined
      ? undefined
      : {
          ...toDates<DefinitionSummary>(shown, INSTANTS),
          draft: shown.draft,
          layout: shown.layout,
        };
  }

  async list({
    maxDefinitions: limit,
    ...conditions
  }: DefinitionConditions): Promise<DefinitionSummary[]> {
    const path = `${ROOT}${queryOf({ limit, ...conditions })}`;
    const definitions = await this.ask<Shown<DefinitionSummary>[]>("definitions", path);
    return definitions.map((shown) => toDates<DefinitionSummary>(shown, INSTANTS));
  }

  async versions(name: string): Promise<DefinitionVersion[]> {
    const found = await orUndefined(
      this.ask<Shown<DefinitionVersion>[]>("versions", `${pathOf(name)}/versions`),
      "DEFINITION_NOT_FOUND",
    );
    return (found ?? []).map((shown) => toDates<DefinitionVersion>(shown, ["publishedAt"]));
  }

  document(name: string, version: number | undefined): Promise<VersionedDocument | undefined> {
    return orUndefined(
      this.connection.ask<VersionedDocument>(`${pathOf(name)}/versions/${version ?? "published"}`, {
        method: "GET",
      }),
      "DEFINITION_NOT_FOUND",
    );
  }

  async documents(names: readonly string[]): Promise<VersionedDocument[]> {
    const found = await Promise.all(names.map((name) => this.document(name, undefined)));
    return found.filter((document) => document !== undefined);
  }

  epoch(): Promise<string> {
    return this.ask("epoch", SERVED);
  }

  servedDocuments(
    given: readonly Pick<ServedDocument, "name" | "version">[],
  ): Promise<ServedDocument[]> {
    const versions = given.map(({ name, version }) => ({ name, version }));
    return this.ask("documents", SERVED, { body: JSON.stringify({ versions }), isRead: true });
  }

  async isSandbox(): Promise<boolean> {
    // Older servers don't know.
    return (await this.ask<boolean | undefined>("isSandbox", SERVED)) === true;
  }

  captureRequest(request: CapturedRequest): Promise<boolean> {
    const body = JSON.stringify(request);
    return this.ask("captured", "/v1/worker/captures", { body, repeatable: true });
  }

  config(): Promise<ConfigValue[]> {
    return this.#readConfig(CONFIG);
  }

  servedConfig(names: readonly string[] | undefined): Promise<ConfigValue[]> {
    return this.#readConfig("/v1/worker/config", {
      body: JSON.stringify({ names }),
      isRead: true,
    });
  }

  setConfig(name: string, value: JsonText, tx?: TransactionClient): Promise<boolean> {
    const path = `${CONFIG}/${encodeURIComponent(name)}`;
    return this.ask("changed", path, { method: "PUT", body: jsonOf({}, { value }) }, tx);
  }

  deleteConfig(name: string, tx?: TransactionClient): Promise<boolean> {
    const path = `${CONFIG}/${encodeURIComponent(name)}`;
    return this.ask("deleted", path, { method: "DELETE" }, tx);
  }

  async #readConfig(path: string, options?: RequestOptions): Promise<ConfigValue[]> {
    const values = await this.ask<Shown<ConfigValue>[]>("values", path, options);
    return values.map((shown) => toDates<ConfigValue>(shown, ["changedAt"]));
  }
}

type ShownTrigger = Omit<TriggerExplanation, "onceHolder"> & {
  readonly onceHolder: Shown<OnceHolder> | null;
};
type ShownExplanation = Shown<Omit<EventExplanation, "triggers">> & {
  readonly triggers: readonly ShownTrigger[];
};

function toExplanation({ triggers, ...event }: ShownExplanation): EventExplanation {
  return {
    ...toDates<Omit<EventExplanation, "triggers">>(event, ["publishedAt", "evaluatedAt"]),
    triggers: triggers.map(({ onceHolder, ...trigger }) => ({
      ...trigger,
      onceHolder: onceHolder === null ? null : toDates<OnceHolder>(onceHolder, ["startedAt"]),
    })),
  };
}

const ROOT = "/v1/definitions";
const SERVED = "/v1/worker/definitions";
const CONFIG = "/v1/config";
const pathOf = (name: string): string => `${ROOT}/${encodeURIComponent(name)}`;
const by = (actor: string | undefined): Record<string, string> =>
  actor === undefined ? {} : { "oxbow-actor": actor };
const ifMatch = (revision: number): Record<string, string> => ({ "if-match": `"${revision}"` });
