/** Tests of workflows and queues that a run over two shards leaves out, with the reason. */
const REFUSED = "It makes a call that is refused over shards.";
const ONE_DATABASE = "It locks, counts or changes by SQL the one database in which its runs are.";
const ONE_TRANSACTION = "Its transaction is in the first shard, wherever its run or message is.";
const ORDERED = "It expects an order, which messages and starts of several shards don't have.";
const ONE_SLOT = "Its worker has one slot, and needs one for each shard.";

/** Whole files. */
export const FILES_NOT_OVER_SHARDS: Readonly<Record<string, string>> = {
  "test/queue/topics.test.ts": REFUSED,
  "test/workflow/definitions.test.ts": REFUSED,
  "test/workflow/flow-control.test.ts": REFUSED,
  "test/workflow/held-runs.test.ts": ONE_DATABASE,
  "test/workflow/never-early.test.ts": "The network that it makes slow leads to one database.",
  "test/workflow/resources.test.ts": REFUSED,
  "test/workflow/sources.test.ts": REFUSED,
  "test/workflow/topic-waits.test.ts": REFUSED,
  "test/workflow/tx-parsers.test.ts": ONE_DATABASE,
};

/** The tests of other files whose names contain this. */
export const TESTS_NOT_OVER_SHARDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "test/queue/consumer.test.ts": {
    "keeps its messages while one of them is acknowledged in a transaction": ONE_TRANSACTION,
    "deletes a message in the handler's own transaction": ONE_TRANSACTION,
    "delivers a message again whose acknowledgement in a transaction": ONE_TRANSACTION,
    "that stops gives back at once what it was just receiving": ONE_DATABASE,
    "calls no handler with a message that another consumer has received since": ONE_DATABASE,
  },
  "test/queue/long-poll.test.ts": {
    "asks little of the database while its queue is empty": ONE_DATABASE,
    "rejects when its queue is dropped after the call has found it": ONE_DATABASE,
  },
  "test/queue/queues.test.ts": {
    "sent without waiting for each other keep their order": ORDERED,
    "of a FIFO queue are received in the order of their group, by the same call": ORDERED,
    "that wait for an open transaction, each separately, leave connections to others": ONE_DATABASE,
    "that wait for an open transaction, sent one after the other, hold back no other group":
      ONE_DATABASE,
  },
  "test/workflow/abandon.test.ts": {
    "a draining worker journals what has finished, even while the transaction": ONE_DATABASE,
  },
  "test/workflow/deadlines.test.ts": {
    "fails though its callbacks don't listen": ONE_DATABASE,
    "while there is only a server": ONE_DATABASE,
    "fails while it is delayed, sleeps, waits, is paused, or its workers": ONE_DATABASE,
  },
  "test/workflow/idle.test.ts": {
    "a worker that has nothing to do asks the database little": ONE_DATABASE,
  },
  "test/workflow/invoke.test.ts": {
    "gives the result of another run, and frees its slot in the meantime": ONE_SLOT,
  },
  "test/workflow/names.test.ts": {
    "the database has the same rule for them": ONE_DATABASE,
  },
  "test/workflow/presence.test.ts": {
    "a worker is listed with what it serves while it is there": ONE_DATABASE,
  },
  "test/workflow/registered-versions.test.ts": {
    "by SQL, a topic, a batch, a schedule and a signal takes it too": REFUSED,
  },
  "test/workflow/sends.test.ts": {
    "step.publish sends a message to each subscriber": REFUSED,
  },
  "test/workflow/start-rules.test.ts": {
    "a batch starts all of its runs, in order, or nothing": ORDERED,
  },
  "test/workflow/start.test.ts": {
    "waits for an open transaction that has used its idempotency key": ONE_TRANSACTION,
  },
  "test/workflow/tx-timeout.test.ts": {
    "an attempt of step.tx that has timed out leaves nothing running": ONE_DATABASE,
    "a run that is cancelled in the middle of step.tx": ONE_DATABASE,
  },
  "test/workflow/tx.test.ts": {
    "fails the step where COMMIT fails": ONE_DATABASE,
  },
};

/** Why a test is left out; undefined if it is not. */
export function whyNotOverShards(file: string, name: string): string | undefined {
  const listed = Object.entries(TESTS_NOT_OVER_SHARDS[file] ?? {});
  return listed.find(([part]) => name.includes(part))?.[1];
}
