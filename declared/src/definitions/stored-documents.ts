/** The documents that the source of a worker reads: documents wanted at the same time come with one request. */
import { Batcher, blameFor, SharedRead } from "@oxbow/sdk/internal/declared";
import type {
  CapturedRequest,
  DefinitionDocument,
  DefinitionTransport,
  ServedDocument,
} from "../protocol/definitions.ts";

/** Reads documents of definitions by the connection of a worker. */
export interface DefinitionDocuments {
  /** Returns the document of a version; undefined if it does not exist. It never changes. */
  read(name: string, version: number): Promise<StoredDefinition | undefined>;
  /**
   * Returns values of the environment by name, read after the call.
   *
   * @param names - At least these. Default: all.
   */
  config(names?: readonly string[]): Promise<Readonly<Record<string, unknown>>>;
  /** Whether the database is a sandbox, read after the call: a copy whose requests to the outside are captured. */
  isSandbox(): Promise<boolean>;
  /** Lists a request that a node has not sent because the database is a sandbox. */
  capture(request: CapturedRequest): Promise<unknown>;
}

/** A document as workers read it. */
export interface StoredDefinition {
  readonly document: DefinitionDocument;
  /** Options of a test run, which replace its work; only in its version. */
  readonly test?: unknown;
}

/** A document has up to 1 MiB. */
const DOCUMENTS_A_REQUEST = 25;
const RUNS_A_REQUEST = 1_000;
/** For more of them, all are read. */
const MOST_NAMES = 1_000;
/** No value has a longer name, so longer ones are not requested. */
const LONGEST_NAME = 256;

type Calls = "servedDocuments" | "servedConfig" | "isSandbox" | "captureRequest";

type ConfigByName = Readonly<Record<string, unknown>>;

interface Wanted {
  readonly name: string;
  readonly version: number;
}

export class StoredDocuments implements DefinitionDocuments {
  readonly #reads: Batcher<Wanted, StoredDefinition | undefined>;

  /** Each with the names that a run reads; undefined for all. */
  readonly #config: Batcher<readonly string[] | undefined, ConfigByName>;
  readonly #isSandbox: SharedRead<boolean>;

  readonly capture: DefinitionDocuments["capture"];

  constructor(transport: Pick<DefinitionTransport, Calls>) {
    this.#config = new Batcher<readonly string[] | undefined, ConfigByName>({
      send: async (wanted) => {
        const found = await transport.servedConfig(allOf(wanted));
        const byName = Object.fromEntries(found.map(({ name, value }) => [name, value]));
        return wanted.map(() => byName);
      },
      maxItems: RUNS_A_REQUEST,
      maxInFlight: 1,
      isShared: (error) => blameFor(error) === "database",
    });
    this.capture = (request) => transport.captureRequest(request);
    this.#isSandbox = new SharedRead(() => transport.isSandbox());
    this.#reads = new Batcher<Wanted, StoredDefinition | undefined>({
      send: async (wanted) => {
        const found = await transport.servedDocuments(wanted);
        const byKey = new Map(found.map((each) => [keyOf(each), toStored(each)]));
        return wanted.map((each) => byKey.get(keyOf(each)));
      },
      maxItems: DOCUMENTS_A_REQUEST,
      maxInFlight: 2,
      isShared: (error) => blameFor(error) === "database",
    });
  }

  read(name: string, version: number): Promise<StoredDefinition | undefined> {
    return this.#reads.submit({ name, version });
  }

  /** Values as they are after the call: a run has what was set before its start. */
  config(names?: readonly string[]): Promise<ConfigByName> {
    return this.#config.submit(names);
  }

  isSandbox(): Promise<boolean> {
    return this.#isSandbox.next();
  }
}

const keyOf = ({ name, version }: Wanted): string => `${name}@${version}`;

function allOf(wanted: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const names = new Set<string>();
  for (const each of wanted) {
    if (each === undefined) return undefined;
    for (const name of each) if (mayExist(name)) names.add(name);
    if (names.size > MOST_NAMES) return undefined;
  }
  return [...names];
}

const mayExist = (name: string): boolean => name !== "" && Array.from(name).length <= LONGEST_NAME;

const toStored = ({ document, test }: ServedDocument): StoredDefinition => ({
  document,
  ...(test === null || test === undefined ? {} : { test }),
});
