/** A definition that is kept in the page, or in the storage of the browser, which its tabs share. */
import { checkDocument, type Document, type Layout } from "@oxbow/declared/check";
import { editorCatalog } from "../catalog/editor-catalog.ts";
import type { CatalogData, ResourceOption } from "./catalog-data.ts";
import type { EditorData } from "./editor-data.ts";

/** The argument of `memoryDefinition`. */
export interface MemoryDefinitionOptions {
  /** The first draft. */
  readonly document: Document;
  readonly catalog: CatalogData;
  /** Resources by type. */
  readonly resources?: Readonly<Record<string, readonly ResourceOption[]>>;
  /** Keeps the definition across reloads, such as `localStorage`. Default: in memory. */
  readonly storage?: Pick<Storage, "getItem" | "setItem">;
  /** The author in versions and conflicts. */
  readonly author?: string;
}

interface Stored {
  readonly document: Document;
  readonly revision: number;
  readonly by: string | undefined;
  readonly layout: Layout | undefined;
  readonly versions: readonly {
    readonly version: number;
    readonly document: Document;
    readonly at: string;
    readonly by: string | undefined;
    readonly note: string | undefined;
  }[];
}

const MOST_RESOURCES = 20;

/** Makes the data of an editor from a document and a catalog. */
export function memoryDefinition(options: MemoryDefinitionOptions): EditorData {
  const { catalog, resources, storage, author } = options;
  const key = `oxbow-definition-${options.document.name}`;
  let kept: Stored = {
    document: options.document,
    revision: 1,
    by: undefined,
    layout: undefined,
    versions: [],
  };
  const read = (): Stored => {
    const text = storage?.getItem(key);
    return typeof text === "string" ? (JSON.parse(text) as Stored) : kept;
  };
  const write = (change: Partial<Stored>): void => {
    kept = { ...read(), ...change };
    storage?.setItem(key, JSON.stringify(kept));
  };
  return {
    load: () =>
      later(() => {
        const { document, revision, layout, versions } = read();
        const [latest] = versions;
        return {
          document,
          revision,
          ...(layout === undefined ? {} : { layout }),
          ...(latest === undefined ? {} : { publishedVersion: latest.version }),
        };
      }),
    catalog: () => later(() => catalog),
    save: (draft) =>
      later(() => {
        const stored = read();
        if (stored.revision !== draft.revision) {
          const { document, revision, by } = stored;
          const theirs = { document, revision, ...(by === undefined ? {} : { by }) };
          return { kind: "conflict", theirs };
        }
        const revision = stored.revision + 1;
        write({ document: draft.document, revision, by: author });
        return { kind: "saved", revision };
      }),
    saveLayout: (layout) => later(() => write({ layout })),
    ...(resources === undefined
      ? {}
      : {
          findResources: (type: string, text: string) =>
            later(() => {
              const wanted = text.toLowerCase();
              const matches = (resources[type] ?? []).filter(({ id, title }) =>
                `${id} ${title}`.toLowerCase().includes(wanted),
              );
              return matches.slice(0, MOST_RESOURCES);
            }),
        }),
    publish: ({ revision, note }) =>
      later(() => {
        const stored = read();
        if (stored.revision !== revision) return { kind: "conflict" };
        const { document, versions } = stored;
        const { problems } = checkDocument(document, editorCatalog(catalog).forChecks);
        if (problems.some(({ severity }) => severity === "error")) {
          return { kind: "invalid", problems };
        }
        const version = (versions[0]?.version ?? 0) + 1;
        const published = { version, document, at: new Date().toISOString(), by: author, note };
        write({ versions: [published, ...versions] });
        return { kind: "published", version };
      }),
    versions: () =>
      later(() =>
        read().versions.map(({ version, at, by, note }, index) => ({
          version,
          isPublished: index === 0,
          at: new Date(at),
          ...(by === undefined ? {} : { by }),
          ...(note === undefined ? {} : { note }),
        })),
      ),
    version: (version) =>
      later(() => {
        const found = read().versions.find((each) => each.version === version);
        if (found === undefined) throw new Error(`There is no version ${version}.`);
        return { version, document: found.document };
      }),
  };
}

const later = <Value>(value: () => Value): Promise<Value> => Promise.resolve().then(value);
