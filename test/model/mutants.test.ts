/**
 * The model can fail: each of these queues has one thing wrong, and random commands find it. How many runs that takes
 * depends on the seed, so it is fixed.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { only } from "../helpers/queues.ts";
import { behavesLikeItsModel, setupSessions, type Topology, topologies } from "./pair-property.ts";
import type { RealSessions } from "./real-queue.ts";

const { standard, fifoToFifo, fifoAlone } = topologies;

/** The fault, its function, the change of source that makes it, and where it shows. */
const MUTANTS: readonly (readonly [string, string, string | RegExp, string, Topology])[] = [
  [
    "forgets to promote",
    "_create_queue_functions",
    /limit 1(?=\s+\) as next)/,
    "limit 0",
    fifoAlone,
  ],
  ["receives past the head", "_create_queue_functions", "then 'm.head'", "then 'true'", fifoAlone],
  [
    "promotes any of the group",
    "_create_queue_functions",
    "order by waiting.message_group_id, waiting.msg_id",
    "order by waiting.message_group_id desc, waiting.msg_id desc",
    fifoAlone,
  ],
  [
    "promotes past an open sender",
    "_try_lock_groups_shared",
    /pg_try_\w+\(g\.key\)/g,
    "true",
    fifoAlone,
  ],
  [
    "does not make senders wait",
    "_lock_groups",
    "not pg_try_advisory_xact_lock(k.key)",
    "false",
    fifoAlone,
  ],
  [
    "acknowledges with a dead receipt",
    "_create_queue_functions",
    /and \(m\.receipt in .*/,
    "",
    standard,
  ],
  [
    "acknowledges a head with a dead receipt",
    "_create_queue_functions",
    /and \(m\.receipt in .*/g,
    "",
    fifoAlone,
  ],
  ["moves a lease by a dead receipt", "_lock_messages", /and \(m\.receipt in .*/, "", standard],
  [
    "keeps the old receipt",
    "_create_queue_functions",
    "queue._message_receipt(m.msg_id, m.receipt, is_alone)",
    "coalesce(m.receipt, queue._message_receipt(m.msg_id, null, is_alone))",
    fifoAlone,
  ],
  ["waits for another receiver", "_create_queue_functions", "skip locked", "", standard],
  [
    "delivers once too often",
    "_judge_redelivered",
    "j.read_ct - coalesce(j.spared, 0) > $4",
    "j.read_ct - coalesce(j.spared, 0) > $4 + 1",
    standard,
  ],
  [
    "counts the deaths of consumers that had other messages",
    "_judge_redelivered",
    "p.receipt & 1 = 0",
    "false",
    standard,
  ],
  [
    "spares the deaths of consumers that had one message",
    "_judge_redelivered",
    "p.receipt & 1 = 0",
    "p.receipt is not null",
    standard,
  ],
  ["suspects after one death", "_judge_redelivered", "j.spared >= 2", "j.spared >= 1", fifoAlone],
  [
    "delivers suspects together",
    "_judge_redelivered",
    "d.may_be_suspect and a.is_noted",
    "false",
    standard,
  ],
  [
    "takes what a consumer delays for a death",
    "_change_visibility",
    "~coalesce(m.spared, 0)",
    "m.spared",
    standard,
  ],
  ["ignores what must match", "_create_queue_functions", "m.message @> matching", "true", standard],
  [
    "receives only by id",
    "_create_queue_functions",
    "order by m.visible_at, m.msg_id",
    "order by m.msg_id",
    standard,
  ],
  [
    "never forgets a deduplication id",
    "_deduplicate",
    "where d.expires_at <= v_now",
    "where false",
    fifoAlone,
  ],
  [
    "forgets deduplication ids immediately",
    "_deduplicate",
    "interval '5 minutes'",
    "interval '5 seconds'",
    fifoAlone,
  ],
  [
    "redrives the newest first",
    "_redrive_letters",
    "order by l.msg_id",
    "order by l.msg_id desc",
    fifoToFifo,
  ],
  [
    "redrives letters in flight",
    "_take_messages",
    "(m.receipt is null or m.visible_at <= $2 or m.visible_at = 'infinity')",
    "true",
    standard,
  ],
  [
    "deletes its dead letters",
    "_clear_undeliverable",
    "(settings).dead_letter_queue is not null",
    "false",
    standard,
  ],
  ["counts tombstones as messages", "queue_stats", "where m.message is not null", "", fifoAlone],
];

/** Seeds that find a mutant within a few runs, where the usual one needs up to hundreds. */
const SEEDS: Readonly<Record<string, number>> = {
  "receives past the head": 2,
  "promotes any of the group": 8,
  "promotes past an open sender": 7,
  "does not make senders wait": 4,
  "acknowledges a head with a dead receipt": 6,
  "moves a lease by a dead receipt": 20,
  "keeps the old receipt": 18,
  "counts the deaths of consumers that had other messages": 8,
  "suspects after one death": 4,
  "delivers suspects together": 7,
  "takes what a consumer delays for a death": 5,
  "receives only by id": 3,
  "never forgets a deduplication id": 6,
  "forgets deduplication ids immediately": 4,
  "redrives the newest first": 25,
  "redrives letters in flight": 17,
  "counts tombstones as messages": 19,
};
const USUAL_SEED = 1;

/** Replaces a function by one that differs in the one place. */
async function mutate(
  { database }: RealSessions,
  name: string,
  what: string | RegExp,
  by: string,
): Promise<void> {
  const rows = await database.query<{ source: string }>(
    `select pg_get_functiondef(p.oid) as source from pg_proc as p
     where p.pronamespace = 'queue'::regnamespace and p.proname = $1`,
    [name],
  );
  const { source } = only(rows);
  // A function as replacement: in a text, `$` would mean something.
  const mutant = source.replace(what, () => by);
  expect(mutant).not.toBe(source);
  await database.query(mutant);
}

// Most of the time goes by in waiting for locks.
it.concurrent.each(MUTANTS)(
  "the model notices a queue that %s",
  async (mutant, name, what, by, topology) => {
    const sessions = await setupSessions((session) => mutate(session, name, what, by));
    const found = await fc.check(behavesLikeItsModel(sessions, topology), {
      seed: SEEDS[mutant] ?? USUAL_SEED,
      numRuns: 1_000,
      // Found is enough: no need for the shortest commands.
      endOnFailure: true,
    });
    expect(found.failed).toBe(true);
  },
);
