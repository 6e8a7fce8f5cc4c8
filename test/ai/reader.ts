/** Readers of an agent's answer. */
import type { WorkflowClient } from "@oxbow/sdk";
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";

interface Read {
  readonly step: string | null;
  readonly position: string;
  readonly chunk: UIMessageChunk;
}

/** Reads to the end of a run, reconnects after each chunk, and obeys resets. */
export class RestlessReader {
  readonly #read: Read[] = [];
  resets = 0;

  get chunks(): UIMessageChunk[] {
    return this.#read.map(({ chunk }) => chunk);
  }

  async follow(client: WorkflowClient, runId: string): Promise<void> {
    let from: string | undefined;
    for (let isOver = false; !isOver;) {
      isOver = true;
      for await (const { step, position, value, reset, since = "0" } of client.runs.stream(runId, {
        from,
      })) {
        from = position;
        isOver = false;
        if (reset === true) {
          this.resets += 1;
          const kept = this.#read.filter(
            (each) => each.step !== step || BigInt(each.position) < BigInt(since),
          );
          this.#read.splice(0, Infinity, ...kept);
        } else {
          this.#read.push({ step, position, chunk: value as UIMessageChunk });
        }
        break;
      }
    }
  }
}

/** All chunks of a run that has ended. */
export async function readAll(client: WorkflowClient, runId: string): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const { value } of client.runs.stream(runId)) chunks.push(value as UIMessageChunk);
  return chunks;
}

/** The message that a page makes of the chunks. */
export async function messageOf(chunks: readonly UIMessageChunk[]): Promise<UIMessage | undefined> {
  const stream = ReadableStream.from<UIMessageChunk>(chunks);
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream })) last = message;
  return last;
}
