/** Definitions, through the server, which has the checker. */
import { InvalidArgument, type TransactionClient } from "@oxbow/sdk";
import {
  type DefinitionProblem,
  jsonOf,
  type JsonText,
  orUndefined,
  refuseTx,
  type RequestOptions,
  type ServerRequests,
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
  DefinitionChange,
  DefinitionConditions,
  DefinitionDocument,
  DefinitionRecord,
  DefinitionSummary,
  DefinitionTransport,
  DefinitionVersion,
  MigratedRun,
  MigrationOutcome,
  PublishDefinitionRequest,
  PublishedDefinition,
  RemoteDefinitionTools,
  RerunFromNode,
  RestoreDefinitionRequest,
  SaveDraftRequest,
  ServedDocument,
  StartedTest,
  TestDefinitionRequest,
  VersionedDocument,
} from "../../protocol/definitions.ts";
import type { DefinitionProgress } from "../../protocol/definition-progress.ts";
import type { EventExplanation, OnceHolder, TriggerExplanation } from "../../protocol/triggers.ts";
import { followProgress } from "./definition-progress.ts";

interface Revised {
  readonly revision: number;
}

interface Changed {
  readonly changed: boolean;
}

const INSTANTS = [
  "draftedAt",
  "publishedAt",
  "createdAt",
  "pausedAt",
  "archivedAt",
] as const satisfies readonly (keyof DefinitionSummary)[];

export class HttpDefinitionTransport implements DefinitionTransport {
  readonly remote: RemoteDefinitionTools;
  readonly #connection: ServerRequests;

  constructor(connection: ServerRequests) {
    this.#connection = connection;
    this.remote = {
      validate: async (name, document) =>
        (
          await connection.ask<{ problems: DefinitionProblem[] }>(`${pathOf(name)}/validate`, {
            body: jsonOf({}, { document }),
            isRead: true,
          })
        ).problems,
      diff: async (name, from, to) =>
        (
          await connection.ask<{ changes: DefinitionChange[] }>(
            `${pathOf(name)}/diff?${new URLSearchParams({ from, to }).toString()}`,
            { method: "GET" },
          )
        ).changes,
      explain: async (name, eventId, version) =>
        toExplanation(
          await connection.ask<ShownExplanation>(`${pathOf(name)}/explain`, {
            body: JSON.stringify({ eventId, version }),
            isRead: true,
          }),
        ),
      migrate: ({ name, runId, version, waitMs }) =>
        connection.ask<MigratedRun>(`${pathOf(name)}/runs/${runId}/migrate`, {
          body: JSON.stringify({ version, waitSeconds: waitMs / 1_000 }),
        }),
      rerun: ({ name, runId, node, version }) =>
        connection.ask<RerunFromNode>(`${pathOf(name)}/runs/${runId}/rerun`, {
          body: JSON.stringify({ node, version }),
        }),
      progress: (runId, signal) =>
        connection.ask<DefinitionProgress>(`/v1/runs/${runId}/progress`, { method: "GET", signal }),
      followProgress: (runId, after, signal) => followProgress(connection, runId, after, signal),
    };
  }

  async create(request: CreateDefinitionRequest, tx?: TransactionClient): Promise<number> {
    refuseTx(tx);
    const { document, scope, actor, ...rest } = request;
    const { revision } = await this.#connection.ask<Revised>(ROOT, {
      body: jsonOf(rest, { document, scope }),
      headers: by(actor),
    });
    return revision;
  }

  async saveDraft(
    { name, document, revision, actor }: SaveDraftRequest,
    tx?: TransactionClient,
  ): Promise<number> {
    refuseTx(tx);
    const saved = await this.#connection.ask<Revised>(`${pathOf(name)}/draft`, {
      method: "PUT",
      body: document,
      headers: { ...by(actor), ...ifMatch(revision) },
    });
    return saved.revision;
  }

  async publish(
    { name, revision, note, actor }: PublishDefinitionRequest,
    tx?: TransactionClient,
  ): Promise<PublishedDefinition> {
    refuseTx(tx);
    const { version, created } = await this.#connection.ask<PublishedDefinition>(
      `${pathOf(name)}/publish`,
      { body: JSON.stringify({ note }), headers: { ...by(actor), ...ifMatch(revision) } },
    );
    return { version, created };
  }

  async restore(
    { name, version, revision, actor }: RestoreDefinitionRequest,
    tx?: TransactionClient,
  ): Promise<number> {
    refuseTx(tx);
    const restored = await this.#connection.ask<Revised>(`${pathOf(name)}/restore`, {
      body: JSON.stringify({ version }),
      headers: { ...by(actor), ...ifMatch(revision) },
    });
    return restored.revision;
  }

  archive(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.#change(`${pathOf(name)}/archive`, {}, tx);
  }

  async delete(name: string, tx?: TransactionClient): Promise<boolean> {
    refuseTx(tx);
    const { deleted } = await this.#connection.ask<{ deleted: boolean }>(pathOf(name), {
      method: "DELETE",
    });
    return deleted;
  }

  async move(
    name: string,
    layout: JsonText,
    version?: number,
    tx?: TransactionClient,
  ): Promise<void> {
    refuseTx(tx);
    const query = version === undefined ? "" : `?version=${version}`;
    await this.#connection.ask(`${pathOf(name)}/layout${query}`, { method: "PUT", body: layout });
  }

  pause(name: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean> {
    const query = reason === undefined ? "" : `?${new URLSearchParams({ reason }).toString()}`;
    return this.#change(`${pathOf(name)}/pause${query}`, {}, tx);
  }

  resume(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.#change(`${pathOf(name)}/resume`, {}, tx);
  }

  configure(
    { name, scope, ...rest }: ConfigureDefinitionRequest,
    tx?: TransactionClient,
  ): Promise<boolean> {
    return this.#change(pathOf(name), { method: "PATCH", body: jsonOf(rest, { scope }) }, tx);
  }

  async apply(
    { documents, publish, note, overwrite, actor }: ApplyDefinitionsRequest,
    tx?: TransactionClient,
  ): Promise<AppliedDefinition[]> {
    refuseTx(tx);
    const { definitions } = await this.#connection.ask<{ definitions: AppliedDefinition[] }>(ROOT, {
      method: "PUT",
      body: jsonOf({ publish, note, overwrite }, { documents: `[${documents.join(",")}]` }),
      headers: by(actor),
    });
    return definitions;
  }

  async start(
    { hasEncodedInput = false, ...request }: StartRequest & { readonly hasEncodedInput?: boolean },
    tx?: TransactionClient,
  ): Promise<StartedRun> {
    refuseTx(tx);
    const query = hasEncodedInput ? "?hasEncodedInput=true" : "";
    return this.#connection.ask<StartedRun>(`${pathOf(request.workflow)}/runs${query}`, {
      body: startBody(request),
    });
  }

  async test(
    { name, document, input, pins, options = "{}", actor, origin }: TestDefinitionRequest,
    tx?: TransactionClient,
  ): Promise<StartedTest> {
    refuseTx(tx);
    return this.#connection.ask<StartedTest>(`${pathOf(name)}/tests`, {
      body: jsonOf({ ...(JSON.parse(options) as object), ...origin }, { document, input, pins }),
      headers: by(actor),
    });
  }

  async deleteTest(name: string, runId: string, tx?: TransactionClient): Promise<boolean> {
    refuseTx(tx);
    const { deleted } = await this.#connection.ask<{ deleted: boolean }>(
      `${pathOf(name)}/tests/${runId}`,
      { method: "DELETE" },
    );
    return deleted;
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
      this.#connection.ask<
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
    maxDefinitions,
    ...conditions
  }: DefinitionConditions): Promise<DefinitionSummary[]> {
    const query = new URLSearchParams({ limit: String(maxDefinitions) });
    for (const [name, value] of Object.entries(conditions)) {
      if (value !== undefined) query.set(name, value);
    }
    const { definitions } = await this.#connection.ask<{ definitions: Shown<DefinitionSummary>[] }>(
      `${ROOT}?${query.toString()}`,
      { method: "GET" },
    );
    return definitions.map((shown) => toDates<DefinitionSummary>(shown, INSTANTS));
  }

  async versions(name: string): Promise<DefinitionVersion[]> {
    const found = await orUndefined(
      this.#connection.ask<{ versions: Shown<DefinitionVersion>[] }>(`${pathOf(name)}/versions`, {
        method: "GET",
      }),
      "DEFINITION_NOT_FOUND",
    );
    return (found?.versions ?? []).map((shown) =>
      toDates<DefinitionVersion>(shown, ["publishedAt"]),
    );
  }

  document(name: string, version: number | undefined): Promise<VersionedDocument | undefined> {
    return orUndefined(
      this.#connection.ask<VersionedDocument>(
        `${pathOf(name)}/versions/${version ?? "published"}`,
        { method: "GET" },
      ),
      "DEFINITION_NOT_FOUND",
    );
  }

  async documents(names: readonly string[]): Promise<VersionedDocument[]> {
    const found = await Promise.all(names.map((name) => this.document(name, undefined)));
    return found.filter((document) => document !== undefined);
  }

  async epoch(): Promise<string> {
    return (await this.#connection.ask<{ epoch: string }>(SERVED, { method: "GET" })).epoch;
  }

  async servedDocuments(
    versions: readonly Pick<ServedDocument, "name" | "version">[],
  ): Promise<ServedDocument[]> {
    const wanted = versions.map(({ name, version }) => ({ name, version }));
    const { documents } = await this.#connection.ask<{ documents: ServedDocument[] }>(SERVED, {
      body: JSON.stringify({ versions: wanted }),
      isRead: true,
    });
    return documents;
  }

  async isSandbox(): Promise<boolean> {
    const { isSandbox } = await this.#connection.ask<{ isSandbox?: boolean }>(SERVED, {
      method: "GET",
    });
    // Older servers don't know.
    return isSandbox === true;
  }

  async captureRequest(request: CapturedRequest): Promise<boolean> {
    const { captured } = await this.#connection.ask<{ captured: boolean }>("/v1/worker/captures", {
      body: JSON.stringify(request),
      repeatable: true,
    });
    return captured;
  }

  config(): Promise<ConfigValue[]> {
    return this.#readConfig(CONFIG, { method: "GET" });
  }

  servedConfig(names: readonly string[] | undefined): Promise<ConfigValue[]> {
    return this.#readConfig("/v1/worker/config", {
      body: JSON.stringify({ names }),
      isRead: true,
    });
  }

  setConfig(name: string, value: JsonText, tx?: TransactionClient): Promise<boolean> {
    const body = jsonOf({}, { value });
    return this.#change(`${CONFIG}/${encodeURIComponent(name)}`, { method: "PUT", body }, tx);
  }

  async deleteConfig(name: string, tx?: TransactionClient): Promise<boolean> {
    refuseTx(tx);
    const path = `${CONFIG}/${encodeURIComponent(name)}`;
    return (await this.#connection.ask<{ deleted: boolean }>(path, { method: "DELETE" })).deleted;
  }

  async #readConfig(path: string, options: RequestOptions): Promise<ConfigValue[]> {
    const { values } = await this.#connection.ask<{ values: Shown<ConfigValue>[] }>(path, options);
    return values.map((shown) => toDates<ConfigValue>(shown, ["changedAt"]));
  }

  async #change(
    path: string,
    options: RequestOptions,
    tx: TransactionClient | undefined,
  ): Promise<boolean> {
    refuseTx(tx);
    return (await this.#connection.ask<Changed>(path, options)).changed;
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
