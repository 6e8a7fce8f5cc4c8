/** The documents that the source of a worker reads: documents wanted at the same time come with one request. */
import { Batcher, blameFor, SharedRead } from "@oxbow/sdk/internal/declared";
import type {
  CapturedRequest,
  DefinitionTransport,
  ServedDocument,
} from "../protocol/definitions.ts";

/** A document has up to 1 MiB. */
const DOCUMENTS_A_REQUEST = 25;
const RUNS_A_REQUEST = 1_000;
/** For more of them, all are read. */
const MOST_NAMES = 1_000;
/** No value has a longer name, so longer ones are not requested. */
const LONGEST_NAME = 256;

type Calls = "servedDocuments" | "servedConfig" | "isSandbox" | "captureRequest";

type ConfigByName = Readonly<Record<string, unknown>>;

type Wanted = Pick<ServedDocument, "name" | "version">;

/** Reads documents of definitions by the connection of a worker. */
export class StoredDocuments {
  readonly #transport: Pick<DefinitionTransport, Calls>;
  readonly #reads: Batcher<Wanted, ServedDocument | undefined>;
  /** Each with the names that a run reads; undefined for all. */
  readonly #config: Batcher<readonly string[] | undefined, ConfigByName>;
  readonly #isSandbox: SharedRead<boolean>;

  constructor(transport: Pick<DefinitionTransport, Calls>) {
    this.#transport = transport;
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
    this.#isSandbox = new SharedRead(() => transport.isSandbox());
    this.#reads = new Batcher<Wanted, ServedDocument | undefined>({
      send: async (wanted) => {
        const found = await transport.servedDocuments(wanted);
        const byKey = new Map(found.map((each) => [keyOf(each), each]));
        return wanted.map((each) => byKey.get(keyOf(each)));
      },
      maxItems: DOCUMENTS_A_REQUEST,
      maxInFlight: 2,
      isShared: (error) => blameFor(error) === "database",
    });
  }

  /** Returns the document of a version; undefined if it does not exist. It never changes. */
  read(name: string, version: number): Promise<ServedDocument | undefined> {
    return this.#reads.submit({ name, version });
  }

  /**
   * Returns values of the environment by name, read after the call: a run has what was set before its start.
   *
   * @param names - At least these. Default: all.
   */
  config(names?: readonly string[]): Promise<ConfigByName> {
    return this.#config.submit(names);
  }

  /** Whether the database is a sandbox, read after the call: a copy whose requests to the outside are captured. */
  isSandbox(): Promise<boolean> {
    return this.#isSandbox.next();
  }

  /** Lists a request that a node has not sent because the database is a sandbox. */
  capture(request: CapturedRequest): Promise<unknown> {
    return this.#transport.captureRequest(request);
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
