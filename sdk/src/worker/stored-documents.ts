/** The documents that sources of a worker read: those that are wanted at the same time come with one request. */
import { Batcher } from "../async/batcher.ts";
import { blameFor } from "../protocol/blame.ts";
import type { DefinitionTransport, ServedDocument } from "../protocol/definitions.ts";
import type { DefinitionDocuments, StoredDefinition } from "./workflow-source.ts";

/** A document has up to 1 MiB. */
const DOCUMENTS_A_REQUEST = 25;

const CONFIG_AGE_MS = 5_000;

type ConfigByName = Readonly<Record<string, unknown>>;

interface Wanted {
  readonly name: string;
  readonly version: number;
}

export class StoredDocuments implements DefinitionDocuments {
  readonly #reads: Batcher<Wanted, StoredDefinition | undefined>;

  readonly #transport: Pick<DefinitionTransport, "servedDocuments" | "servedConfig">;
  #config: { readonly values: Promise<ConfigByName>; readonly readAt: number } | undefined;

  constructor(transport: Pick<DefinitionTransport, "servedDocuments" | "servedConfig">) {
    this.#transport = transport;
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

  config(): Promise<ConfigByName> {
    const now = performance.now();
    if (this.#config === undefined || now - this.#config.readAt > CONFIG_AGE_MS) {
      const values = this.#readConfig();
      this.#config = { values, readAt: now };
      values.catch(() => (this.#config = undefined));
    }
    return this.#config.values;
  }

  async #readConfig(): Promise<ConfigByName> {
    const found = await this.#transport.servedConfig();
    return Object.fromEntries(found.map(({ name, value }) => [name, value]));
  }
}

const keyOf = ({ name, version }: Wanted): string => `${name}@${version}`;

const toStored = ({ document, test }: ServedDocument): StoredDefinition => ({
  document,
  ...(test === null || test === undefined ? {} : { test }),
});
