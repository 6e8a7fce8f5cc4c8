import { EventEmitter } from "node:events";
import pg from "pg";
import { expect, it } from "vitest";
import { nextTurn } from "../../../async/next-turn.ts";
import { ConnectionShares, type Purpose } from "./connection-shares.ts";

interface Server {
  open: number;
  highest: number;
}

/** Clients of a server that is never busy, and that counts its connections. */
const clientsOf = (server: Server): typeof pg.Client =>
  // oxlint-disable-next-line unicorn/prefer-event-target -- the driver's clients are emitters
  class extends EventEmitter {
    readonly _queryable = true;

    connect(done: () => void): void {
      server.open += 1;
      server.highest = Math.max(server.highest, server.open);
      setImmediate(done);
    }

    end(done?: () => void): void {
      setImmediate(() => {
        server.open -= 1;
        this.emit("end");
        done?.();
      });
    }

    ref(): void {}
    unref(): void {}
  } as unknown as typeof pg.Client;

function setup(most: number): { server: Server; shares: ConnectionShares } {
  const server = { open: 0, highest: 0 };
  const pool = (): pg.Pool => new pg.Pool({ Client: clientsOf(server), max: most });
  const pools = { statements: pool(), transactions: pool(), relays: pool(), exports: pool() };
  return { server, shares: new ConnectionShares(pools, most) };
}

const inTurn = async (count: number, work: () => Promise<void>): Promise<void> => {
  await Promise.all(Array.from({ length: count }, work));
};

it.each([
  [1, ["statements"], 1],
  [1, ["statements", "transactions"], 2],
  [1, ["statements", "transactions", "relays"], 3],
  [2, ["statements", "transactions"], 2],
  [3, ["statements", "transactions", "relays"], 3],
  [6, ["statements"], 6],
  [6, ["statements", "transactions"], 6],
  [10, ["statements", "transactions", "relays"], 10],
  [3, ["statements", "exports"], 3],
  [10, ["statements", "transactions", "relays", "exports"], 10],
] as const)(
  "of %i, %j open %i at most, though each waits for a statement while it holds one",
  async (most, purposes, highest) => {
    const { server, shares } = setup(most);
    const statement = async (): Promise<void> => {
      const client = await shares.connect("statements");
      await nextTurn();
      client.release();
    };
    const hold = async (purpose: Purpose): Promise<void> => {
      if (purpose === "statements") return statement();
      const client = await shares.connect(purpose);
      await statement();
      client.release();
    };
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(purposes.map((purpose) => inTurn(20, () => hold(purpose))));
    }
    expect(server.highest).toBe(highest);
  },
);

it("statements get back what others have closed", async () => {
  const { server, shares } = setup(6);
  const connect = (purpose: Purpose, count: number): Promise<pg.PoolClient[]> =>
    Promise.all(Array.from({ length: count }, () => shares.connect(purpose)));
  const held = [...(await connect("transactions", 3)), ...(await connect("statements", 3))];
  expect(server.open).toBe(6);
  for (const client of held) client.release(true);
  while (server.open > 0) await nextTurn();
  await connect("statements", 6);
  expect(server.highest).toBe(6);
});
