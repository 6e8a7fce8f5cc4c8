/**
 * The answer of a run as the UI message stream that `useChat` reads.
 *
 *   A1  It begins at the beginning, whenever the page connects, and ends with the answer or the run.
 *   A2  When a call of the model or of a tool is repeated, the page drops what the call before it wrote: it drops the current
 *       step (`reset-step`), and gets the rest of the step again. What is taken back of an earlier step ends the connection,
 *       so that the page asks again.
 */
import type { StreamChunk, WorkflowClient } from "@oxbow/sdk";
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
  /** The last chunk of each step of the run before the beginning. */
  const earlier = new Map<string | null, StreamChunk>();
  /** The last `start-step`, which a `reset-step` leaves on the page, and what has followed it. */
  let beginning: StreamChunk | undefined;
  let current: StreamChunk[] = [];
  let isRepeated = false;
  for await (const each of client.runs.stream(runId, { signal })) {
    const chunk = each.value as UIMessageChunk;
    if (each.reset === true) {
      const isKept = (sent: StreamChunk | undefined): boolean =>
        sent?.step !== each.step || BigInt(sent.position) < BigInt(each.since ?? 0);
      if (!isKept(earlier.get(each.step))) {
        throw new Error(`Run ${runId} has begun its answer again.`);
      }
      isRepeated ||= !isKept(beginning);
      current = current.filter(isKept);
      yield { type: "reset-step" };
      for (const { value } of current) yield value as UIMessageChunk;
    } else if (chunk.type === "start-step" && isRepeated && each.step === beginning?.step) {
      isRepeated = false;
      beginning = each;
    } else {
      if (chunk.type === "start-step") {
        if (beginning !== undefined) current.unshift(beginning);
        for (const sent of current) earlier.set(sent.step, sent);
        [beginning, current, isRepeated] = [each, [], false];
      } else {
        current.push(each);
      }
      yield chunk;
      if (chunk.type === "finish" || chunk.type === "error" || chunk.type === "abort") return;
    }
  }
  const { status } = await client.runs.find(runId);
  if (status === "cancelled") yield { type: "abort" };
  else yield { type: "error", errorText: `Run ${runId} ended without an answer.` };
}
