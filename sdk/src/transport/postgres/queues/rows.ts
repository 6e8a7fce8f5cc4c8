/** Received messages, and receipts, as the SQL functions of queues return them ↔ `protocol/queues.ts`. */
import type { MessageDelivery } from "../../../protocol/queues.ts";
import type { ReceivedRow } from "./calls.ts";
import type { SettledReceiptsRow } from "./functions.ts";

export function toDeliveries(row: ReceivedRow): MessageDelivery[] {
  const receipts = numbersOf(row.receipts);
  const counts = numbersOf(row.receiveCounts);
  const enqueuedAt = datesOf(row.enqueuedAts);
  const visibleAt = datesOf(row.visibleAts);
  return numbersOf(row.ids).map((id, index) => ({
    id,
    receipt: receipts[index] ?? "",
    body: row.bodies?.[index],
    headers: row.headers?.[index] ?? null,
    receiveCount: Number(counts[index]),
    groupId: row.groupIds?.[index] ?? null,
    enqueuedAt: enqueuedAt(index),
    visibleAt: visibleAt(index),
    isSuspect: row.suspect !== null && receipts[index] === row.suspect,
  }));
}

/** Which of the receipts were alive. */
export function aliveOf(
  { alive, receipts }: SettledReceiptsRow,
  asked: readonly string[],
): string[] {
  if (receipts !== null) return receipts.split(",");
  return alive === 0 ? [] : [...asked];
}

const numbersOf = (array: string | null): string[] =>
  array === null || array === "{}" ? [] : array.slice(1, -1).split(",");

/** Messages that were sent, or received, together have one time, which is read once. */
function datesOf(texts: readonly string[] | null): (index: number) => Date {
  let last: string | undefined;
  let ms = Number.NaN;
  return (index) => {
    const text = texts?.[index];
    if (text !== last) ms = new Date(text ?? Number.NaN).getTime();
    last = text;
    return new Date(ms);
  };
}
