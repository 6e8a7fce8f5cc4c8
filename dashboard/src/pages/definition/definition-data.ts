/** The data of the editor, by the REST API. */
import {
  type Document,
  type Layout,
  type Problem as DocumentProblem,
  progressOf,
  readDescriptor,
} from "@oxbow/declared/check";
import type { CatalogData, EditorData, NodeState, RunProgress } from "@oxbow/editor";
import { readCatalog } from "../../api/catalog.ts";
import {
  listRuns,
  listVersions,
  publishDraft,
  readDefinition,
  readVersion,
  saveDraft,
  saveLayout,
} from "../../api/definitions.ts";
import { Problem } from "../../api/problem.ts";
import { readRun, readSteps } from "../../api/runs.ts";

/** Of definitions that name none. */
const DEFAULT_POOL = "default";
const CONFLICT = 412;
const UNPROCESSABLE = 422;

export function definitionData(name: string): EditorData {
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
      return versions.map(({ version, state, publishedAt, publishedBy, note }) => ({
        version,
        isPublished: state === "published",
        at: new Date(publishedAt),
        by: publishedBy,
        ...(note === null ? {} : { note }),
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
    progress: (runId) => runProgress(name, runId),
    version: async (version) => {
      const found = await readVersion(name, version);
      return { version, document: found.document as Document };
    },
  };
}

/** Reads what workers of the definition's pool have registered. While none has, other node types are added by name. */
async function readCatalogOf(name: string): Promise<CatalogData> {
  const { draft } = await readDefinition(name);
  const { settings } = draft as Partial<Document>;
  const { nodeTypes } = await readCatalog(name, settings?.pool ?? DEFAULT_POOL);
  return {
    nodeTypes: nodeTypes.flatMap(({ descriptor }) => readDescriptor(descriptor) ?? []),
    hasOtherNodeTypes: nodeTypes.length === 0,
  };
}

/** Computes the progress of a run from its journal, by the document of its version. */
async function runProgress(name: string, runId: string): Promise<RunProgress> {
  const [run, steps] = await Promise.all([readRun(runId), readSteps(runId)]);
  const version = await readVersion(name, run.version);
  const document = version.document as Document;
  const { nodes, edges } = progressOf(document, steps as Parameters<typeof progressOf>[1]);
  const states = [...nodes].map(([path, status]): [string, NodeState] => [
    path,
    status === "ready" ? "waiting" : status,
  ]);
  return {
    status: run.status,
    document,
    nodes: Object.fromEntries(states),
    edges: Object.fromEntries(edges.get("") ?? []),
    values: Object.fromEntries(
      steps.map(({ name: path, output, error }) => [path, { output, error }]),
    ),
  };
}
