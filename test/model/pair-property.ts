/** The property of the model tests: a real queue and its model do the same, whatever the commands. */
import fc from "fast-check";
import { createDatabase } from "../helpers/database.ts";
import { anyCommands, type Command, GROUPS } from "./commands.ts";
import type { QueueName, QueueSettings } from "./queue-model.ts";
import { RealSessions, setupPair } from "./real-queue.ts";
import { TestClock } from "./test-clock.ts";

export type Topology = Record<QueueName, QueueSettings>;

const fifo = { kind: "fifo", visibilityTimeout: 30, maxReceives: null } as const;
const standard = { kind: "standard", visibilityTimeout: 30, maxReceives: null } as const;

export const topologies = {
  standard: { work: { ...standard, maxReceives: 1 }, letters: standard },
  fifoToFifo: { work: { ...fifo, visibilityTimeout: 10, maxReceives: 1 }, letters: fifo },
  fifoToStandard: { work: { ...fifo, maxReceives: 2 }, letters: standard },
  fifoAlone: { work: { ...fifo, visibilityTimeout: 0 }, letters: fifo },
} satisfies Record<string, Topology>;

/** Sessions in a separate database, whose clock the test moves. */
export async function setupSessions(
  prepare: (sessions: RealSessions) => Promise<void> = async () => {},
): Promise<RealSessions> {
  const database = await createDatabase();
  const clock = new TestClock(database);
  await clock.install();
  const sessions = new RealSessions(database, clock);
  await prepare(sessions);
  await sessions.connect();
  return sessions;
}

export function behavesLikeItsModel(
  sessions: RealSessions,
  topology: Topology,
  maxCommands = 60,
): fc.IAsyncPropertyWithHooks<[Iterable<Command>]> {
  return fc.asyncProperty(anyCommands(maxCommands), async (commands) => {
    const pair = await setupPair(sessions, topology, GROUPS);
    try {
      await fc.asyncModelRun(() => pair, commands);
      await pair.real.expectSound();
    } finally {
      await pair.real.drop();
    }
  });
}
