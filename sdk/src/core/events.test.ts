import { expect, it, vi } from "vitest";
import { Emitter } from "./events.ts";

interface Events {
  readonly started: { readonly id: number };
  readonly stopped: undefined;
}

it("an event reaches the listeners to its name, in their order, until they stop", () => {
  const emitter = new Emitter<Events>();
  const seen: string[] = [];
  const stop = emitter.on("started", ({ id }) => void seen.push(`first ${id}`));
  emitter.on("started", ({ id }) => void seen.push(`second ${id}`));
  emitter.on("stopped", () => void seen.push("stopped"));
  emitter.emit("started", { id: 1 });
  stop();
  stop();
  emitter.emit("started", { id: 2 });
  expect(seen).toEqual(["first 1", "second 1", "second 2"]);
});

it("a listener that throws disturbs neither the others nor the emitter", () => {
  const errors: unknown[] = [];
  const emitter = new Emitter<Events>((error) => void errors.push(error));
  const seen: number[] = [];
  const failure = new Error("listener");
  emitter.on("started", () => {
    throw failure;
  });
  emitter.on("started", ({ id }) => void seen.push(id));
  emitter.emit("started", { id: 1 });
  expect(seen).toEqual([1]);
  expect(errors).toEqual([failure]);
});

it("the rejection of a listener's promise is an error of the listener", async () => {
  const errors: unknown[] = [];
  const emitter = new Emitter<Events>((error) => void errors.push(error));
  const failure = new Error("listener");
  const rejecting = (() => Promise.reject(failure)) as unknown as () => void;
  emitter.on("started", rejecting);
  emitter.emit("started", { id: 1 });
  await vi.waitFor(() => expect(errors).toEqual([failure]));
});
