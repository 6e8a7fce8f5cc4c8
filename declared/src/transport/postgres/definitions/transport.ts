/** Definitions, straight to the database: each method one call of one SQL function. */
import { type RoomQueries, toSeconds } from "@oxbow/sdk/internal/rooms";
import type { DefinitionTransport, MigrationOutcome } from "../../../protocol/definitions.ts";
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

export const definitionsOverPostgres = (queries: RoomQueries): DefinitionTransport => ({
  remote: undefined,

  create: ({ name, document, folder, scope, isProtected, actor }, tx) =>
    queries.value(
      definitionCreate,
      [name, document ?? null, folder ?? null, scope ?? null, isProtected ?? false, actor ?? null],
      { tx },
    ),

  saveDraft: ({ name, document, revision, actor }, tx) =>
    queries.value(definitionSaveDraft, [name, document, revision, actor ?? null], { tx }),

  publish: ({ name, revision, compiled, note, actor }, tx) =>
    queries.queryOne(
      definitionPublish,
      [name, revision, compiled ?? null, note ?? null, actor ?? null],
      { tx },
    ),

  restore: ({ name, version, revision, actor }, tx) =>
    queries.value(definitionRestore, [name, version, revision, actor ?? null], { tx }),

  archive: (name, tx) => queries.value(definitionArchive, [name], { tx }),

  delete: (name, tx) => queries.value(definitionDelete, [name], { tx }),

  move: async (name, layout, version, tx) => {
    await queries.value(definitionMove, [name, layout, version ?? null], { tx });
  },

  pause: (name, reason, tx) => queries.value(definitionPause, [name, reason ?? null], { tx }),

  resume: (name, tx) => queries.value(definitionResume, [name], { tx }),

  configure: ({ name, folder, scope, isProtected, pool }, tx) =>
    queries.value(
      definitionConfigure,
      [name, folder ?? null, scope ?? null, isProtected ?? null, pool ?? null],
      { tx },
    ),

  apply: ({ documents, publish, compiled, note, overwrite, actor }, tx) =>
    queries.query(
      definitionApply,
      [documents, publish, compiled ?? null, note ?? null, overwrite, actor ?? null],
      { tx },
    ),

  start: (request, tx) =>
    queries.queryOne(
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
    ),

  test: ({ name, document, input, pins, options, actor }, tx) =>
    queries.queryOne(
      definitionTest,
      [name, document ?? null, input ?? null, pins ?? null, options ?? null, actor ?? null],
      { tx },
    ),

  deleteTest: (name, runId, tx) => queries.value(definitionDeleteTest, [name, runId], { tx }),

  migrate: ({ name, runId, version, compared }, tx) =>
    queries.value(definitionMigrate, [name, runId, version, compared ?? null], {
      tx,
    }) as Promise<MigrationOutcome>,

  get: async (name, tx) => {
    const [found] = await queries.query(definitionGet, [name], { tx });
    return found;
  },

  list: ({ name, folder, state, search, after, maxDefinitions }) =>
    queries.query(definitionList, [
      folder ?? null,
      state ?? null,
      search ?? null,
      after ?? null,
      maxDefinitions,
      name ?? null,
    ]),

  versions: (name) => queries.query(definitionVersions, [name]),

  document: async (name, version) => {
    const versions = version === undefined ? null : [version];
    const [found] = await queries.query(definitionDocuments, [[name], versions]);
    return found;
  },

  documents: (names) => queries.query(definitionDocuments, [names, null]),

  epoch: () => queries.value(definitionEpoch, []),

  servedDocuments: (versions) =>
    queries.query(definitionDocuments, [
      versions.map(({ name }) => name),
      versions.map(({ version }) => version),
    ]),

  config: () => queries.query(definitionConfigList, [null]),

  servedConfig: (names) => queries.query(definitionConfigList, [names ?? null]),

  isSandbox: async () => (await queries.queryOne(databaseState, [])).state === "sandbox",

  captureRequest: ({ runId, key, method, url, headers, body }) => {
    const shown = JSON.stringify({ method, headers });
    const content = body === undefined ? null : JSON.stringify(body);
    return queries.value(captureRequest, [runId, key, url, content, shown], { repeatable: true });
  },

  setConfig: (name, value, tx) => queries.value(definitionConfigSet, [name, value], { tx }),

  deleteConfig: (name, tx) => queries.value(definitionConfigDelete, [name], { tx }),
});
