import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { InvalidArgument } from "../core/errors.ts";
import { Emitter } from "../core/events.ts";
import type { ConsumerEvents } from "./consumer-events.ts";
import { type BatchHandler, type HandlingOptions, MessageHandling } from "./message-handling.ts";
import { MessageLeases } from "./message-leases.ts";
import type { ReceivedMessage } from "./message.ts";

const LEASE_MS = 10_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A handler call, whose requests the test answers, and what happens to its messages in order. */
function setup(receipts: readonly string[], handler: BatchHandler<unknown>) {
  const log: string[] = [];
  const answers = new Map<string, (isAlive: boolean | Error) => void>();
  const ask = (request: string): Promise<boolean> => {
    log.push(request);
    return new Promise((resolve, reject) => {
      answers.set(request, (answer) => {
        if (typeof answer === "boolean") resolve(answer);
        else reject(answer);
      });
    });
  };
  const events = new Emitter<ConsumerEvents>();
  for (const event of ["messageDone", "messageFailed", "messageLost"] as const) {
    events.on(event, ({ messageId }) => void log.push(`${event} ${messageId}`));
  }
  const handling = new MessageHandling(
    receipts.map((receipt) => ({ receipt, id: receipt, groupId: null }) as ReceivedMessage),
    {
      queue: "q",
      handler,
      transport: {
        delete: (_queue: string, receipt: string) => ask(`delete ${receipt}`),
        changeVisibility: (_queue: string, receipt: string) => ask(`give back ${receipt}`),
      },
      settings: { leaseMs: LEASE_MS, retryDelay: { initialMs: 600_000, factor: 1 } },
      leases: new MessageLeases({
        leaseMs: LEASE_MS,
        extend: (receipt) => ask(`extend ${receipt}`),
        onError: () => {},
      }),
      events,
      givenUp: new AbortController().signal,
      onFree: () => {},
    } as unknown as HandlingOptions,
  );
  const over = handling.run();
  const answer = async (request: string, isAlive: boolean | Error): Promise<void> => {
    answers.get(request)?.(isAlive);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { log, over, answer };
}

it("extends no lease of a message that was given back before the others of its batch", async () => {
  const { log, over, answer } = setup(["a", "b"], ([first], { fail }) => {
    if (first !== undefined) fail(first, new Error("no"));
  });
  await vi.advanceTimersByTimeAsync(0);
  await answer("give back a", true);
  await vi.advanceTimersByTimeAsync(LEASE_MS * 0.7);
  await answer("delete b", true);
  await over;
  expect(log).toEqual(["delete b", "give back a", "messageFailed a", "extend b", "messageDone b"]);
});

it("gives a message back only after an extension that was requested before", async () => {
  let fail = (): void => {};
  const { log, over, answer } = setup(
    ["a"],
    () =>
      new Promise((_, reject) => {
        fail = () => reject(new Error("no"));
      }),
  );
  await vi.advanceTimersByTimeAsync(LEASE_MS * 0.7);
  fail();
  await vi.advanceTimersByTimeAsync(0);
  expect(log).toEqual(["extend a"]);
  await answer("extend a", true);
  await answer("give back a", true);
  await over;
  expect(log).toEqual(["extend a", "give back a", "messageFailed a"]);
});

it.each([
  ["messageDone", true],
  ["messageLost", false],
  ["messageLost", new InvalidArgument("no")],
])(
  "reports %s for a message that its extension misses if its deletion is answered %s",
  async (event, deleted) => {
    const { log, over, answer } = setup(["a"], () => {});
    await vi.advanceTimersByTimeAsync(LEASE_MS * 0.7);
    await answer("extend a", false);
    await answer("delete a", deleted);
    await over;
    expect(log).toEqual(["delete a", "extend a", `${event} a`]);
  },
);
