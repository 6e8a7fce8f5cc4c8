/** Batches: their entries are checked, carried out and answered one by one. A bad entry spoils no other. */
import { SqsError, toSqsError } from "./errors.ts";

const MOST_ENTRIES = 10;
const ID = /^[\w-]{1,80}$/;

interface Entry {
  readonly Id: string;
}

interface FailedEntry extends Entry {
  readonly Code: string;
  readonly Message: string;
  readonly SenderFault: boolean;
}

export interface BatchAnswer<Done> {
  readonly Successful: readonly (Entry & Done)[];
  readonly Failed?: readonly FailedEntry[];
}

/** @throws SqsError for a batch that is refused as a whole. */
function checkEntries(entries: readonly Entry[]): void {
  if (entries.length === 0) {
    throw new SqsError("EmptyBatchRequest", "There should be at least one entry in the request.");
  }
  if (entries.length > MOST_ENTRIES) {
    throw new SqsError(
      "TooManyEntriesInBatchRequest",
      `Maximum number of entries per request are ${MOST_ENTRIES}. You have sent ${entries.length}.`,
    );
  }
  const invalid = entries.find(({ Id }) => !ID.test(Id));
  if (invalid !== undefined) {
    throw new SqsError(
      "InvalidBatchEntryId",
      `A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long: "${invalid.Id.slice(0, 100)}".`,
    );
  }
  const repeated = entries.find(
    ({ Id }, index) => entries.findIndex((one) => one.Id === Id) < index,
  );
  if (repeated !== undefined) {
    throw new SqsError("BatchEntryIdsNotDistinct", `Id ${repeated.Id} repeated.`);
  }
}

/**
 * Prepares each entry, and carries out those that could be prepared.
 *
 * @param prepare Throws SqsError for an invalid entry.
 * @param carryOut The outcomes of prepared entries in their order: an answer, or the error of one.
 */
export async function inBatch<Given extends Entry, Prepared, Done extends object>(
  entries: readonly Given[],
  prepare: (entry: Given) => Prepared,
  carryOut: (prepared: readonly Prepared[]) => Promise<readonly (Done | SqsError)[]>,
): Promise<BatchAnswer<Done>> {
  checkEntries(entries);
  const failed: FailedEntry[] = [];
  const ready = entries.flatMap((entry) => {
    try {
      return [{ id: entry.Id, prepared: prepare(entry) }];
    } catch (error) {
      failed.push(failure(entry.Id, toSqsError(error)));
      return [];
    }
  });
  const done = ready.length === 0 ? [] : await carryOut(ready.map(({ prepared }) => prepared));
  const successful = ready.flatMap(({ id }, index) => {
    const outcome = done[index];
    if (outcome !== undefined && !(outcome instanceof SqsError)) return [{ Id: id, ...outcome }];
    failed.push(
      failure(id, outcome ?? new SqsError("InternalFailure", "The server has no answer.")),
    );
    return [];
  });
  return { Successful: successful, ...(failed.length === 0 ? {} : { Failed: failed }) };
}

const failure = (id: string, { code, message, isSender }: SqsError): FailedEntry => ({
  Id: id,
  Code: code,
  Message: message,
  SenderFault: isSender,
});
