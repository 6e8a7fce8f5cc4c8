/**
 * The text of a model for readers of the run's stream, while it arrives: chunks of the AI SDK's UI message stream.
 *
 *   L1  The first delta is written immediately, later ones together every 50 ms: each chunk is a row.
 *   L2  Chunks are written within the call of the model, so that a call which is repeated replaces them.
 */
import type { Context } from "@oxbow/sdk/runtime";
import type { UIMessageChunk } from "ai";
import { storable } from "./journal-form.ts";
import type { StreamPart } from "./provider-model.ts";

const GATHER_MS = 50;

type Delta = Extract<UIMessageChunk, { readonly type: "text-delta" | "reasoning-delta" }>;

/** The chunks that are written here, and not by the body. */
export const LIVE: ReadonlySet<string> = new Set<UIMessageChunk["type"]>([
  "start-step",
  "text-start",
  "text-delta",
  "text-end",
  "reasoning-start",
  "reasoning-delta",
  "reasoning-end",
]);

export class LiveDeltas {
  readonly #stream: Context["stream"];
  #gathered: Delta | undefined;
  #writtenAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failure: Error | undefined;

  constructor(stream: Context["stream"]) {
    this.#stream = stream;
    this.#stream.write({ type: "start-step" } satisfies UIMessageChunk);
  }

  take(part: StreamPart): void {
    if (this.#failure !== undefined) throw this.#failure;
    const { type } = part;
    if (type === "text-delta" || type === "reasoning-delta") {
      this.#gather({ type, id: part.id, delta: part.delta });
    } else if (
      type === "text-start" ||
      type === "text-end" ||
      type === "reasoning-start" ||
      type === "reasoning-end"
    ) {
      const { id, providerMetadata } = part;
      this.flush();
      this.#stream.write({ type, id, ...(providerMetadata && { providerMetadata }) });
    }
  }

  #gather(delta: Delta): void {
    if (delta.delta === "") return;
    const gathered = this.#gathered;
    if (gathered?.id === delta.id && gathered.type === delta.type) {
      this.#gathered = { ...delta, delta: gathered.delta + delta.delta };
    } else {
      this.flush();
      this.#gathered = delta;
    }
    const waitMs = this.#writtenAt + GATHER_MS - performance.now();
    if (waitMs <= 0) this.#writeWhole();
    else this.#timer ??= setTimeout(this.#writeLater, waitMs);
  }

  /** In a timer, an error of the worker's codec would end the process. */
  readonly #writeLater = (): void => {
    try {
      this.#writeWhole();
    } catch (error) {
      this.#failure = error as Error;
    }
  };

  /** Writes what is gathered, but keeps the first half of a character whose second half is still to come. */
  #writeWhole(): void {
    const gathered = this.#gathered;
    if (gathered === undefined || !/[\uD800-\uDBFF]$/.test(gathered.delta)) {
      this.flush();
      return;
    }
    const { delta } = gathered;
    this.#gathered = delta.length === 1 ? undefined : { ...gathered, delta: delta.slice(0, -1) };
    this.flush();
    this.#gathered = { ...gathered, delta: delta.slice(-1) };
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const gathered = this.#gathered;
    if (gathered === undefined) return;
    this.#gathered = undefined;
    this.#writtenAt = performance.now();
    this.#stream.write({ ...gathered, delta: storable(gathered.delta) });
  }
}
