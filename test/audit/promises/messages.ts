/** Promises about messages, topics and schedules. */
import { BOOKED_QUEUE, NOTE_QUEUES, ORDERED_QUEUE, TICK_SECONDS } from "../workload/queues.ts";
import { groupBy, type History } from "./history.ts";

/** Every acknowledged message is handled, and no message is left over. */
export function* messagesArrive(history: History): Generator<string> {
  const handled = new Set(
    history.handled.map(({ queue, group, number }) => `${queue} ${group} ${number}`),
  );
  const booked = new Map(
    history.facts.inbox.map(({ group, number, rows }) => [`${group} ${number}`, rows]),
  );
  for (const { item, at, op } of history.acknowledged) {
    if (item.what !== "message" || history.mayBeLost(at)) continue;
    const { queue, group, number } = item;
    if (!handled.has(`${queue} ${group} ${number}`))
      yield `acknowledged message ${op} was never delivered`;
    if (queue !== BOOKED_QUEUE) continue;
    const rows = booked.get(`${group} ${number}`) ?? 0;
    if (rows !== 1) yield `message ${op} was acknowledged in ${rows} transactions of its handlers`;
  }
  for (const { queue, count } of history.facts.left) yield `${count} messages are left in ${queue}`;
}

/** A group delivers its messages in order, one at a time, and not again after its acknowledgement. */
export function* groupsKeepOrder(history: History): Generator<string> {
  const { lost } = history.request;
  const queues = new Set<string>([ORDERED_QUEUE, BOOKED_QUEUE]);
  const ordered = history.handled.filter(({ queue }) => queues.has(queue));
  for (const [place, deliveries] of groupBy(ordered, ({ queue, group }) => `${queue} ${group}`)) {
    let highest = -1;
    let isBefore = true;
    for (const { number, at } of deliveries) {
      // Messages acknowledged in a lost tail arrive again, as do later ones.
      if (isBefore && lost !== undefined && at > lost.from) {
        isBefore = false;
        highest = -1;
      }
      if (lost !== undefined && at > lost.from && at < lost.to) continue;
      if (number < highest) yield `${place}: ${number} was delivered after ${highest}`;
      if (number > highest + 1 && lost === undefined) {
        yield `${place}: ${number} was delivered after ${highest}, past those in between`;
      }
      highest = Math.max(highest, number);
    }
  }
  const settled = new Map(
    history.settled.map(({ queue, message, at }) => [`${queue} ${message}`, at]),
  );
  for (const { queue, message, at } of history.handled) {
    const done = settled.get(`${queue} ${message}`);
    if (done !== undefined && at > done && !history.mayBeLost(done)) {
      yield `message ${message} of ${queue} was delivered ${Math.round(at - done)} ms after its acknowledgement`;
    }
  }
}

/** A published note reaches every subscriber, at most once for each call of publish. */
export function* notesFanOut(history: History): Generator<string> {
  const attempts = new Map<string, number>();
  for (const entry of history.entries) {
    if (entry.kind === "called" && entry.verb === "publish") {
      attempts.set(entry.op, (attempts.get(entry.op) ?? 0) + 1);
    }
  }
  for (const { op, item, at } of history.acknowledged) {
    if (item.what !== "note" || history.mayBeLost(at)) continue;
    for (const queue of NOTE_QUEUES) {
      const copies = new Set(
        history.handled
          .filter((entry) => entry.queue === queue && entry.number === item.number)
          .map(({ message }) => message),
      );
      if (copies.size === 0) yield `${op} never reached ${queue}`;
      if (copies.size > (attempts.get(op) ?? 1))
        yield `${op} reached ${queue} ${copies.size} times`;
    }
    const runs = history.facts.runs.filter(
      ({ workflow, input }) =>
        workflow === "noted" && (input as { number: number }).number === item.number,
    );
    if (runs.length !== 1) yield `${op} started ${runs.length} runs instead of 1`;
  }
}

/** Each tick of a schedule starts exactly one run. */
export function* ticksAreExact(history: History): Generator<string> {
  const { ticks } = history.facts;
  for (const [index, { at, runs }] of ticks.entries()) {
    const time = new Date(at).toISOString();
    if (runs !== 1) yield `tick ${time} has ${runs} runs`;
    const before = ticks[index - 1];
    const missing = before === undefined ? 0 : (at - before.at) / (TICK_SECONDS * 1_000) - 1;
    if (missing > 0 && history.request.lost === undefined)
      yield `${missing} ticks are missing before ${time}`;
  }
}

/** `queue.check_invariants()` is empty. */
export function* invariantsHold({ facts }: History): Generator<string> {
  yield* facts.invariants;
}
