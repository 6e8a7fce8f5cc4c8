/**
 * The answer of a run as the UI message stream that `useChat` reads.
 *
 *   A1  It begins at the beginning, whenever the page connects, and ends with the answer or the run.
 *   A2  When a call of the model is repeated, the page drops what the call before it said (`reset-step`). Anything else that
 *       is taken back ends the connection, so that the page asks again.
 */
import type { WorkflowClient } from "@oxbow/sdk";
import { linkSignals } from "@oxbow/sdk/internal/ai";
import { UI_MESSAGE_STREAM_HEADERS, type UIMessageChunk } from "ai";

const BEAT_MS = 15_000;

/**
 * Returns a response with the answer that `streamDurably` writes in a run, from its beginning.
 *
 * @param signal Of the request: ends the reading, and not the run.
 * @example
 * return chatAnswer(client, run.runId, request.signal);
 */
export function chatAnswer(
  client: Pick<WorkflowClient, "runs">,
  runId: string,
  signal?: AbortSignal,
): Response {
  const leaving = new AbortController();
  const { signal: reading, unlink } = linkSignals([signal, leaving.signal]);
  const chunks = chunksOf(client, runId, reading);
  const encoder = new TextEncoder();
  let beat: ReturnType<typeof setInterval> | undefined;
  const end = (): void => {
    clearInterval(beat);
    unlink();
  };
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      // While people decide, proxies see a sign of life.
      beat = setInterval(() => {
        if (reading.aborted) end();
        else controller.enqueue(encoder.encode(":\n\n"));
      }, BEAT_MS);
    },
    pull: async (controller) => {
      try {
        const { done, value } = await chunks.next();
        const data = done === true ? "[DONE]" : JSON.stringify(value);
        controller.enqueue(encoder.encode(`data: ${data}\n\n`));
        if (done !== true) return;
        end();
        controller.close();
      } catch (error) {
        end();
        throw error;
      }
    },
    cancel: () => {
      leaving.abort();
      end();
    },
  });
  return new Response(body, { headers: UI_MESSAGE_STREAM_HEADERS });
}

async function* chunksOf(
  client: Pick<WorkflowClient, "runs">,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<UIMessageChunk, void> {
  let isRepeated = false;
  for await (const { step, value, reset } of client.runs.stream(runId, { signal })) {
    const chunk = value as UIMessageChunk;
    if (reset === true) {
      if (step === null) throw new Error(`Run ${runId} has begun its answer again.`);
      isRepeated = true;
      yield { type: "reset-step" };
    } else if (isRepeated && chunk.type === "start-step") {
      // The page has it: a reset leaves the beginning of the step.
      isRepeated = false;
    } else {
      yield chunk;
      if (chunk.type === "finish" || chunk.type === "error" || chunk.type === "abort") return;
    }
  }
  const { status } = await client.runs.find(runId);
  if (status === "cancelled") yield { type: "abort" };
  else yield { type: "error", errorText: `Run ${runId} ended without an answer.` };
}
