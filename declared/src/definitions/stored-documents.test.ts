import { expect, it } from "vitest";
import type { ConfigValue } from "../protocol/definitions.ts";
import { StoredDocuments } from "./stored-documents.ts";

type Answer = (values: readonly Pick<ConfigValue, "name" | "value">[]) => void;

function documentsWithReads() {
  const reads: Answer[] = [];
  const asked: (readonly string[] | undefined)[] = [];
  const documents = new StoredDocuments({
    servedDocuments: () => Promise.resolve([]),
    isSandbox: () => Promise.resolve(false),
    captureRequest: () => Promise.resolve(false),
    servedConfig: (names) =>
      new Promise((resolve) => {
        asked.push(names);
        reads.push((values) => {
          resolve(values as ConfigValue[]);
        });
      }),
  });
  return { documents, reads, asked };
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

it("reads the environment once for calls of one moment, and again for calls during the read", async () => {
  const { documents, reads } = documentsWithReads();
  const first = [documents.config(), documents.config()];
  await turn();
  expect(reads).toHaveLength(1);
  const later = [documents.config(), documents.config()];
  await turn();
  expect(reads).toHaveLength(1);
  reads[0]?.([{ name: "limit", value: 1 }]);
  expect(await Promise.all(first)).toEqual([{ limit: 1 }, { limit: 1 }]);
  await turn();
  expect(reads).toHaveLength(2);
  reads[1]?.([{ name: "limit", value: 2 }]);
  expect(await Promise.all(later)).toEqual([{ limit: 2 }, { limit: 2 }]);
});

it("reads the values that the runs of one moment name, and all if one of them needs all, or too many are named", async () => {
  const { documents, reads, asked } = documentsWithReads();
  const read = async (...wanted: (readonly string[] | undefined)[]) => {
    const results = wanted.map((names) => documents.config(names));
    await turn();
    reads.at(-1)?.([{ name: "limit", value: 1 }]);
    await Promise.all(results);
    await turn();
  };
  await read(["limit"], ["limit", "channel"]);
  await read(["limit"], undefined);
  await read(Array.from({ length: 1_000 }, (_, n) => `a${n}`));
  await read(
    ["limit"],
    Array.from({ length: 1_000 }, (_, n) => `a${n}`),
  );
  expect(asked.map((names) => names?.length)).toEqual([2, undefined, 1_000, undefined]);
  expect(asked[0]).toEqual(["limit", "channel"]);
});

it("reads no value whose name is too long to exist, with which a server refuses the names of all runs", async () => {
  const { documents, reads, asked } = documentsWithReads();
  const results = [["limit"], ["a".repeat(300), ""], ["🙂".repeat(256)]].map((names) =>
    documents.config(names),
  );
  await turn();
  reads[0]?.([{ name: "limit", value: 1 }]);
  await Promise.all(results);
  expect(asked).toEqual([["limit", "🙂".repeat(256)]]);
});

it("reads the environment for a run though it can't for another one", async () => {
  const documents = new StoredDocuments({
    servedDocuments: () => Promise.resolve([]),
    isSandbox: () => Promise.resolve(false),
    captureRequest: () => Promise.resolve(false),
    servedConfig: (names) =>
      names?.includes("odd") === true
        ? Promise.reject(new Error("Unreadable."))
        : Promise.resolve([]),
  });
  const odd = documents.config(["odd"]);
  const plain = documents.config(["limit"]);
  await expect(odd).rejects.toThrow("Unreadable.");
  expect(await plain).toEqual({});
});

it("reads the environment again after a read that failed", async () => {
  let isDown = true;
  const documents = new StoredDocuments({
    servedDocuments: () => Promise.resolve([]),
    isSandbox: () => Promise.resolve(false),
    captureRequest: () => Promise.resolve(false),
    servedConfig: () => (isDown ? Promise.reject(new Error("It is down.")) : Promise.resolve([])),
  });
  const failed = documents.config();
  const next = turn().then(() => documents.config());
  await expect(failed).rejects.toThrow("It is down.");
  await expect(next).rejects.toThrow("It is down.");
  isDown = false;
  expect(await documents.config()).toEqual({});
});
