/** Definitions, through the server, which has the checker. */
import { InvalidArgument } from "@oxbow/sdk";
import {
  type AskFor,
  askingFor,
  jsonOf,
  orUndefined,
  READ,
  refuseTx,
  type RequestOptions,
  type ServerRequests,
  type Shown,
  startBody,
  toDates,
  withQuery,
} from "@oxbow/sdk/internal/rooms";
import type {
  ConfigValue,
  DefinitionDocument,
  DefinitionSummary,
  DefinitionTransport,
  DefinitionVersion,
  PublishedDefinition,
  RemoteDefinitionTools,
  VersionedDocument,
} from "../../protocol/definitions.ts";
import type { EventExplanation, OnceHolder, TriggerExplanation } from "../../protocol/triggers.ts";
import { followProgress } from "./definition-progress.ts";

const INSTANTS = [
  "draftedAt",
  "publishedAt",
  "createdAt",
  "pausedAt",
  "archivedAt",
] as const satisfies readonly (keyof DefinitionSummary)[];

export function definitionsOverHttp(server: ServerRequests): DefinitionTransport {
  const askFor = askingFor(server);
  const document: DefinitionTransport["document"] = (name, version) =>
    orUndefined(
      server.ask<VersionedDocument>(`${pathOf(name)}/versions/${version ?? "published"}`, READ),
      "DEFINITION_NOT_FOUND",
    );
  const readConfig = async (path: string, options?: RequestOptions): Promise<ConfigValue[]> => {
    const values = await askFor<Shown<ConfigValue>[]>("values", path, options);
    return values.map((shown) => toDates<ConfigValue>(shown, ["changedAt"]));
  };
  return {
    remote: toolsOverHttp(server, askFor),

    create: ({ document: draft, scope, actor, ...rest }, tx) => {
      const body = jsonOf(rest, { document: draft, scope });
      return askFor("revision", ROOT, { body, headers: by(actor) }, tx);
    },

    saveDraft: ({ name, document: body, revision, actor }, tx) => {
      const headers = { ...by(actor), ...ifMatch(revision) };
      return askFor("revision", `${pathOf(name)}/draft`, { method: "PUT", body, headers }, tx);
    },

    publish: async ({ name, revision, note, actor }, tx) => {
      refuseTx(tx);
      const { version, created } = await server.ask<PublishedDefinition>(
        `${pathOf(name)}/publish`,
        { body: JSON.stringify({ note }), headers: { ...by(actor), ...ifMatch(revision) } },
      );
      return { version, created };
    },

    restore: ({ name, version, revision, actor }, tx) => {
      const headers = { ...by(actor), ...ifMatch(revision) };
      const options = { body: JSON.stringify({ version }), headers };
      return askFor("revision", `${pathOf(name)}/restore`, options, tx);
    },

    archive: (name, tx) => askFor("changed", `${pathOf(name)}/archive`, {}, tx),

    delete: (name, tx) => askFor("deleted", pathOf(name), { method: "DELETE" }, tx),

    move: async (name, layout, version, tx) => {
      refuseTx(tx);
      const path = withQuery(`${pathOf(name)}/layout`, { version });
      await server.ask(path, { method: "PUT", body: layout });
    },

    pause: (name, reason, tx) =>
      askFor("changed", withQuery(`${pathOf(name)}/pause`, { reason }), {}, tx),

    resume: (name, tx) => askFor("changed", `${pathOf(name)}/resume`, {}, tx),

    configure: ({ name, scope, ...rest }, tx) => {
      const body = jsonOf(rest, { scope });
      return askFor("changed", pathOf(name), { method: "PATCH", body }, tx);
    },

    apply: ({ documents, publish, note, overwrite, actor }, tx) => {
      const body = jsonOf({ publish, note, overwrite }, { documents: `[${documents.join(",")}]` });
      return askFor("definitions", ROOT, { method: "PUT", body, headers: by(actor) }, tx);
    },

    start: async ({ hasEncodedInput = false, ...request }, tx) => {
      refuseTx(tx);
      const query = hasEncodedInput ? "?hasEncodedInput=true" : "";
      const path = `${pathOf(request.workflow)}/runs${query}`;
      return server.ask(path, { body: startBody(request) });
    },

    test: async ({ name, document: tested, input, pins, options = "{}", actor, origin }, tx) => {
      refuseTx(tx);
      const given = { ...(JSON.parse(options) as object), ...origin };
      const body = jsonOf(given, { document: tested, input, pins });
      return server.ask(`${pathOf(name)}/tests`, { body, headers: by(actor) });
    },

    deleteTest: (name, runId, tx) =>
      askFor("deleted", `${pathOf(name)}/tests/${runId}`, { method: "DELETE" }, tx),

    /** The server compares and moves in one request. */
    migrate: () =>
      Promise.reject(
        new InvalidArgument("A run is migrated by a server, or by a client of the database."),
      ),

    get: async (name, tx) => {
      refuseTx(tx);
      const shown = await orUndefined(
        server.ask<Shown<DefinitionSummary> & { draft: DefinitionDocument; layout: unknown }>(
          pathOf(name),
          READ,
        ),
        "DEFINITION_NOT_FOUND",
      );
      return (
        shown && {
          ...toDates<DefinitionSummary>(shown, INSTANTS),
          draft: shown.draft,
          layout: shown.layout,
        }
      );
    },

    list: async ({ maxDefinitions: limit, ...conditions }) => {
      const path = withQuery(ROOT, { limit, ...conditions });
      const definitions = await askFor<Shown<DefinitionSummary>[]>("definitions", path);
      return definitions.map((shown) => toDates<DefinitionSummary>(shown, INSTANTS));
    },

    versions: async (name) => {
      const found = await orUndefined(
        askFor<Shown<DefinitionVersion>[]>("versions", `${pathOf(name)}/versions`),
        "DEFINITION_NOT_FOUND",
      );
      return (found ?? []).map((shown) => toDates<DefinitionVersion>(shown, ["publishedAt"]));
    },

    document,

    documents: async (names) => {
      const found = await Promise.all(names.map((name) => document(name, undefined)));
      return found.filter((each) => each !== undefined);
    },

    epoch: () => askFor("epoch", SERVED),

    servedDocuments: (given) => {
      const versions = given.map(({ name, version }) => ({ name, version }));
      return askFor("documents", SERVED, { body: JSON.stringify({ versions }), isRead: true });
    },

    // Older servers don't know.
    isSandbox: async () => (await askFor<boolean | undefined>("isSandbox", SERVED)) === true,

    captureRequest: (request) => {
      const body = JSON.stringify(request);
      return askFor("captured", "/v1/worker/captures", { body, repeatable: true });
    },

    config: () => readConfig(CONFIG),

    servedConfig: (names) =>
      readConfig("/v1/worker/config", { body: JSON.stringify({ names }), isRead: true }),

    setConfig: (name, value, tx) => {
      const body = jsonOf({}, { value });
      return askFor("changed", configPathOf(name), { method: "PUT", body }, tx);
    },

    deleteConfig: (name, tx) => askFor("deleted", configPathOf(name), { method: "DELETE" }, tx),
  };
}

const toolsOverHttp = (server: ServerRequests, askFor: AskFor): RemoteDefinitionTools => ({
  validate: (name, document) =>
    askFor("problems", `${pathOf(name)}/validate`, {
      body: jsonOf({}, { document }),
      isRead: true,
    }),

  diff: (name, from, to) => askFor("changes", withQuery(`${pathOf(name)}/diff`, { from, to })),

  explain: async (name, eventId, version) =>
    toExplanation(
      await server.ask<ShownExplanation>(`${pathOf(name)}/explain`, {
        body: JSON.stringify({ eventId, version }),
        isRead: true,
      }),
    ),

  migrate: ({ name, runId, version, waitMs }) =>
    server.ask(`${pathOf(name)}/runs/${runId}/migrate`, {
      body: JSON.stringify({ version, waitSeconds: waitMs / 1_000 }),
    }),

  rerun: ({ name, runId, node, version }) =>
    server.ask(`${pathOf(name)}/runs/${runId}/rerun`, { body: JSON.stringify({ node, version }) }),

  progress: (runId, signal) => server.ask(`/v1/runs/${runId}/progress`, { method: "GET", signal }),

  followProgress: (runId, after, signal) => followProgress(server, runId, after, signal),
});

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
const configPathOf = (name: string): string => `${CONFIG}/${encodeURIComponent(name)}`;
const pathOf = (name: string): string => `${ROOT}/${encodeURIComponent(name)}`;
const by = (actor: string | undefined): Record<string, string> =>
  actor === undefined ? {} : { "oxbow-actor": actor };
const ifMatch = (revision: number): Record<string, string> => ({ "if-match": `"${revision}"` });
