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
} from "../../api/definitions.ts";
import { errorText } from "../../format/error-text.ts";
import { Problem } from "../../api/problem.ts";
import type { Scope } from "../../api/session.ts";
import { readRun, readSteps } from "../../api/runs.ts";

/** Of definitions that name none. */
const DEFAULT_POOL = "default";
/** Runs of older versions aren't counted. */
const VERSIONS_WITH_RUNS = 10;
/** Steps that are done by others, or by time. */
const WAITS = /^(?:approve|delay|run|wait)@/;
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
    progress: (runId, document) => runProgress(name, typesIn, runId, document),
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

/** The node types of a pool that have several ways out, so that the output of their nodes names the way. */
async function readTypesWithHandles(name: string, pool: string): Promise<ReadonlySet<string>> {
  const { nodeTypes } = await readCatalog(name, pool);
  return new Set(
    nodeTypes.flatMap(({ descriptor }) => {
      const { type, handles = [], isCall = true } = readDescriptor(descriptor) ?? {};
      const isPlain = !isCall || (handles.length === 1 && handles[0] === "out");
      return type === undefined || isPlain ? [] : [type];
    }),
  );
}

/** Progress is read every few seconds, and node types change with a deployment. */
const CATALOG_FOR_MS = 60_000;
type TypesIn = (pool: string) => Promise<ReadonlySet<string>>;

function rememberedTypes(name: string): TypesIn {
  const known = new Map<string, { readonly at: number; readonly types: ReturnType<TypesIn> }>();
  return (pool) => {
    const last = known.get(pool);
    if (last !== undefined && Date.now() - last.at < CATALOG_FOR_MS) return last.types;
    const types = readTypesWithHandles(name, pool);
    known.set(pool, { at: Date.now(), types });
    types.catch(() => known.delete(pool));
    return types;
  };
}

/** Computes the progress of a run from its journal, by the document of its version. */
async function runProgress(
  name: string,
  typesIn: TypesIn,
  runId: string,
  tested: Document | undefined,
): Promise<RunProgress> {
  const [run, steps] = await Promise.all([readRun(runId), readSteps(runId)]);
  const document = tested ?? ((await readVersion(name, run.version)).document as Document);
  const withHandles = await typesIn(document.settings?.pool ?? DEFAULT_POOL);
  const hasHandles = (type: string): boolean => withHandles.has(type);
  const rows = steps as Parameters<typeof progressOf>[1];
  const { nodes, edges } = progressOf(document, rows, { hasHandles });
  const typeAt = (path: string): string =>
    document.nodes[path.split(".").at(-1) ?? path]?.type ?? "";
  const states = [...nodes].map(([path, status]): [string, NodeState] => {
    const isWaiting = status === "ready" || (status === "running" && WAITS.test(typeAt(path)));
    return [path, isWaiting ? "waiting" : status];
  });
  return {
    status: run.status,
    ...(run.hasInput ? { input: run.input } : {}),
    ...(run.hasOutput ? { output: run.output } : {}),
    ...(run.error === null ? {} : { error: errorText(run.error) }),
    document,
    nodes: Object.fromEntries(states),
    edges: Object.fromEntries(edges.get("") ?? []),
    values: Object.fromEntries(
      steps.map(({ name: path, output, error }) => [
        path,
        hasHandles(typeAt(path)) ? withHandle(output, error) : { output, error },
      ]),
    ),
  };
}

/** Takes apart what a node with several ways has journaled. Stand-ins in tests name their way themselves. */
function withHandle(output: unknown, error: unknown) {
  if (typeof output !== "object" || output === null || !("handle" in output) || "$test" in output) {
    return { output, error };
  }
  const { handle } = output;
  return {
    output: "output" in output ? output.output : undefined,
    error,
    ...(typeof handle === "string" ? { handle } : {}),
  };
}
