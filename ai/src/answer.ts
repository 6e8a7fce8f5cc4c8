/** One call of a model that streams, from its beginning to a whole answer. */
import { startTimer, unlessAborted, withLinkedSignal } from "@oxbow/sdk/internal/ai";
import { IncompleteAnswer, SilentModel } from "./failures.ts";
import type { CallOptions, ProviderModel, StreamPart } from "./provider-model.ts";

export interface AnswerOptions {
  readonly params: CallOptions;
  readonly signal: AbortSignal;
  /** The longest time without a part. */
  readonly silenceMs: number;
  readonly onPart: (part: StreamPart) => void;
}

/** Resolves with all parts, deltas joined. Rejects if the model reports an error, falls silent, or ends without a finish. */
export async function readAnswer(
  model: ProviderModel,
  { params, signal, silenceMs, onPart }: AnswerOptions,
): Promise<StreamPart[]> {
  const silence = new AbortController();
  const waitForPart = (): (() => void) =>
    startTimer(silenceMs, () => {
      silence.abort(new SilentModel(`Model "${model.modelId}" sent nothing for ${silenceMs} ms.`));
    });
  let stopWaiting = waitForPart();
  const parts: StreamPart[] = [];
  try {
    await withLinkedSignal([signal, silence.signal], async (abortSignal) => {
      // A provider that ignores the signal must not hold the step.
      const asked = model.doStream({ ...params, abortSignal });
      const reader = (await unlessAborted(Promise.resolve(asked), abortSignal)).stream.getReader();
      try {
        for (;;) {
          const { done, value: part } = await unlessAborted(reader.read(), abortSignal);
          if (done) break;
          stopWaiting();
          stopWaiting = waitForPart();
          if (part.type === "error") throw part.error;
          if (part.type === "raw") continue;
          onPart(part);
          append(parts, part);
        }
      } catch (error) {
        reader.cancel(error).catch(() => {});
        throw error;
      }
    });
  } finally {
    stopWaiting();
  }
  if (!parts.some(({ type }) => type === "finish")) {
    throw new IncompleteAnswer(
      `Model "${model.modelId}" ended its answer after ${parts.length} parts without a finish part.`,
    );
  }
  return parts;
}

/** A thousand deltas are one part in the journal. */
function append(parts: StreamPart[], part: StreamPart): void {
  const last = parts.at(-1);
  const isMore =
    (part.type === "text-delta" ||
      part.type === "reasoning-delta" ||
      part.type === "tool-input-delta") &&
    last?.type === part.type &&
    last.id === part.id;
  if (isMore) parts[parts.length - 1] = { ...last, ...part, delta: last.delta + part.delta };
  else parts.push(part);
}
