/** The data of the editor, by the REST API. */
import type { Document, Layout, Problem as DocumentProblem } from "@oxbow/declared/check";
import type { EditorData } from "@oxbow/editor";
import { findResources } from "../../api/catalog.ts";
import {
  countOpenRuns,
  deleteTest,
  listRuns,
  listVersions,
  publishDraft,
  readDefinition,
  readVersion,
  saveDraft,
  saveLayout,
  testDefinition,
  validateDefinition,
} from "../../api/definitions.ts";
import { Problem } from "../../api/problem.ts";
import type { Scope } from "../../api/session.ts";
import { readChild } from "../../api/runs.ts";
import { readCatalogOf, rememberedTypes } from "./definition-catalog.ts";
import { RunReader } from "./run-progress.ts";

/** Runs of older versions aren't counted. */
const VERSIONS_WITH_RUNS = 10;
const CONFLICT = 412;
const UNPROCESSABLE = 422;

/** @param may What belongs to an absent scope is left out. */
export function definitionData(name: string, may: (scope: Scope) => boolean): EditorData {
  const all = allData(name);
  const { save, saveLayout: moves, test, deleteTest: remove, publish, ...reading } = all;
  return {
    ...reading,
    ...(may("define") ? { save, saveLayout: moves, test, deleteTest: remove } : {}),
    ...(may("publish") ? { publish, mayTestEffects: true } : {}),
  };
}

function allData(name: string) {
  const typesIn = rememberedTypes(name);
  return {
    load: async () => {
      const { draft, revision, layout, publishedVersion } = await readDefinition(name);
      return {
        document: draft as Document,
        revision,
        ...(layout === null ? {} : { layout: layout as unknown as Layout }),
        ...(publishedVersion === null ? {} : { publishedVersion }),
      };
    },
    catalog: () => readCatalogOf(name),
    findResources: (type, text, { signal }) => findResources(name, type, text, signal),
    save: async ({ document, revision }) => {
      try {
        const saved = await saveDraft(name, revision, { ...document });
        return { kind: "saved", revision: saved.revision };
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== CONFLICT) throw error;
        const theirs = await readDefinition(name);
        return {
          kind: "conflict",
          theirs: {
            document: theirs.draft as Document,
            revision: theirs.revision,
            by: theirs.draftBy,
          },
        };
      }
    },
    validate: async (document) => {
      const { problems } = await validateDefinition(name, { ...document });
      return problems as DocumentProblem[];
    },
    saveLayout: async (layout) => {
      await saveLayout(name, { ...layout });
    },
    publish: async ({ revision, note }) => {
      try {
        const { version } = await publishDraft(name, revision, note);
        return { kind: "published", version };
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (error.status === CONFLICT) return { kind: "conflict" };
        const { problems } = error.facts as { readonly problems?: readonly DocumentProblem[] };
        if (error.status !== UNPROCESSABLE || problems === undefined) throw error;
        return { kind: "invalid", problems };
      }
    },
    versions: async () => {
      const { versions } = await listVersions(name);
      const open = await Promise.all(
        versions.slice(0, VERSIONS_WITH_RUNS).map(({ version }) => countOpenRuns(name, version)),
      );
      return versions.map(({ version, state, publishedAt, publishedBy, note }, at) => ({
        version,
        isPublished: state === "published",
        at: new Date(publishedAt),
        by: publishedBy,
        ...(note === null ? {} : { note }),
        ...(open[at] === undefined ? {} : { openRuns: open[at] }),
      }));
    },
    runs: async () => {
      const { runs } = await listRuns(name);
      return runs.map(({ runId, status, startedAt, version }) => ({
        runId,
        status,
        startedAt: new Date(startedAt),
        version,
      }));
    },
    progress: (runId, document) => new RunReader(name, typesIn, runId).read(document),
    followProgress: (runId, { document, signal }) =>
      new RunReader(name, typesIn, runId).follow(document, signal),
    itemRun: async (runId, path) => (await readChild(runId, path))?.runId,
    test: async ({ document, pins, ...options }) => {
      const { runId } = await testDefinition(name, {
        ...options,
        document: { ...document },
        pins: { ...pins },
      });
      return { runId };
    },
    deleteTest: async (runId) => {
      await deleteTest(name, runId);
    },
    version: async (version) => {
      const found = await readVersion(name, version);
      return { version, document: found.document as Document };
    },
  } satisfies EditorData;
}
