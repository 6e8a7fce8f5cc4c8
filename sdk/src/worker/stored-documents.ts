/** The documents that sources of a worker read: those that are wanted at the same time come with one request. */
import { Batcher } from "../async/batcher.ts";
import { blameFor } from "../protocol/blame.ts";
import type { DefinitionDocument, DefinitionTransport } from "../protocol/definitions.ts";
import type { DefinitionDocuments } from "./workflow-source.ts";

/** A document has up to 1 MiB. */
const DOCUMENTS_A_REQUEST = 25;

interface Wanted {
  readonly name: string;
  readonly version: number;
}

export class StoredDocuments implements DefinitionDocuments {
  readonly #reads: Batcher<Wanted, DefinitionDocument | undefined>;

  constructor(transport: Pick<DefinitionTransport, "servedDocuments">) {
    this.#reads = new Batcher<Wanted, DefinitionDocument | undefined>({
      send: async (wanted) => {
        const found = await transport.servedDocuments(wanted);
        const byKey = new Map(found.map((each) => [keyOf(each), each.document]));
        return wanted.map((each) => byKey.get(keyOf(each)));
      },
      maxItems: DOCUMENTS_A_REQUEST,
      maxInFlight: 2,
      isShared: (error) => blameFor(error) === "database",
    });
  }

  read(name: string, version: number): Promise<DefinitionDocument | undefined> {
    return this.#reads.submit({ name, version });
  }
}

const keyOf = ({ name, version }: Wanted): string => `${name}@${version}`;
