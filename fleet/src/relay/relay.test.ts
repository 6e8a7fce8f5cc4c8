import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { OutboxBatch, RelayTransport } from "@oxbow/sdk/internal/fleet";
import { Relay } from "./relay.ts";

/** Outboxes that count how often they are asked, with items for "b" until they have been accepted. */
class Shards {
  asked = 0;
  accepted = 0;
  waiting = 0;
  hint = (): void => {};
  /** Answers an accept. */
  onAccept = (): Promise<void> => Promise.resolve();
  isBusy = false;

  /** Holds accepts back. Resolves once one is under way, with the way to let it and all others pass. */
  async held(start: () => Promise<void>): Promise<() => void> {
    const accepting = new Promise<() => void>((resolve) => {
      this.onAccept = () =>
        new Promise((accept) => {
          resolve(accept);
        });
    });
    await start();
    const accept = await accepting;
    return () => {
      this.onAccept = () => Promise.resolve();
      accept();
    };
  }

  relay(): Relay {
    const source = { name: "a", transport: { shards: this.#source() } };
    const target = { name: "b", transport: { shards: this.#target() } };
    const relay = new Relay({ source, targets: [target], onTrouble: () => {} });
    relay.start();
    return relay;
  }

  #source(): RelayTransport {
    return {
      pending: () => {
        this.asked += 1;
        return Promise.resolve(this.waiting > 0 ? ["b"] : []);
      },
      transaction: (work) => work({} as never),
      take: () =>
        Promise.resolve(this.isBusy ? undefined : ({ size: this.waiting } as OutboxBatch)),
      done: ({ size }) => {
        this.waiting -= size;
        this.accepted += size;
        return Promise.resolve();
      },
      leavingGroups: () => Promise.resolve([]),
      handOverGroup: () => Promise.resolve(false),
      accept: () => Promise.reject(new Error("Nothing is for the source.")),
      listen: (onHint) => {
        this.hint = onHint;
        return { listening: true, close: () => {} };
      },
    };
  }

  #target(): RelayTransport {
    return {
      ...this.#source(),
      pending: () => Promise.resolve([]),
      accept: async () => {
        await this.onAccept();
        return { tail: "1", outcomes: "{}", problems: "{}" };
      },
    };
  }

  /** An item, and its hint, each millisecond. */
  async send(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      this.waiting += 1;
      this.hint();
      await sleep(1);
    }
  }
}

it("looks once for the hints of a moment, and doesn't miss one", async () => {
  const shards = new Shards();
  const relay = shards.relay();
  const startedAt = performance.now();
  await shards.send(200);
  const looks = 2 + (performance.now() - startedAt) / 20;
  expect(shards.asked).toBeLessThanOrEqual(looks);
  await expect.poll(() => shards.accepted).toBe(200);
  await relay.stop();
});

it("looks for nothing while it delivers, and then for what came meanwhile", async () => {
  const shards = new Shards();
  const relay = shards.relay();
  const release = await shards.held(() => shards.send(1));
  const { asked } = shards;
  await shards.send(100);
  expect(shards.asked).toBe(asked);
  release();
  await expect.poll(() => shards.accepted).toBe(101);
  await relay.stop();
});

it("looks for nothing while another relay serves the shard", async () => {
  const shards = new Shards();
  shards.isBusy = true;
  const relay = shards.relay();
  const startedAt = performance.now();
  await shards.send(100);
  expect(shards.asked).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 500);
  shards.isBusy = false;
  await expect.poll(() => shards.accepted, { timeout: 3_000 }).toBe(100);
  await relay.stop();
});

it("delivers immediately when it is asked to, without a hint, and in front of another relay", async () => {
  const shards = new Shards();
  const relay = shards.relay();
  await shards.send(1);
  await expect.poll(() => shards.accepted).toBe(1);
  shards.waiting = 1;
  await relay.deliver("b");
  expect(shards.accepted).toBe(2);
  shards.isBusy = true;
  shards.waiting = 1;
  const delivery = relay.deliver("b");
  await sleep(50);
  expect(shards.accepted).toBe(2);
  shards.isBusy = false;
  await delivery;
  expect(shards.accepted).toBe(3);
  await relay.stop();
});

it("delivers what is sent while an earlier batch is under way", async () => {
  const shards = new Shards();
  const relay = shards.relay();
  const release = await shards.held(() => shards.send(1));
  shards.waiting += 1;
  const delivery = relay.deliver("b");
  release();
  await delivery;
  expect(shards.accepted).toBe(2);
  await relay.stop();
});
