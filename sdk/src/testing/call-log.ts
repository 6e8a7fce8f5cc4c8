import { toErrorRecord } from "../core/error-record.ts";

/** One call of a step's callback, real or replaced, or one thing that a step has sent. */
export interface RecordedCall {
  readonly workflow: string;
  readonly runId: string;
  readonly step: string;
  /** 1 for the first call of the step in its run. */
  readonly attempt: number;
  /** Whether a replacement was called instead of the code. */
  readonly replaced: boolean;
  /**
   * The step's arguments, besides its callback: of `step.map` the item; of `step.invoke` the input; of
   * `step.publish` topic and message; of `step.signal` the run id, the event and the payload. Else empty.
   */
  readonly args: readonly unknown[];
  /** Whether it has returned or thrown. */
  readonly ended: boolean;
  /** The result. */
  readonly returned?: unknown;
  /** The error: name and message. */
  readonly threw?: { readonly name: string; readonly message: string };
}

type Entry = { -readonly [Key in keyof RecordedCall]: RecordedCall[Key] };

/** Which steps were called in a test, in order. */
export class CallLog {
  #calls: Entry[] = [];
  /** Every replay of a generation repeats the request of a send. */
  readonly #sent = new Set<string>();

  of(step: string, workflow: string | undefined): RecordedCall[] {
    return this.#calls
      .filter((call) => call.step === step && (workflow ?? call.workflow) === call.workflow)
      .map((call) => ({ ...call }));
  }

  /** Calls something, and notes what came of it. */
  async call(
    about: Omit<RecordedCall, "ended" | "returned" | "threw">,
    callback: () => unknown,
  ): Promise<unknown> {
    const entry: Entry = { ...about, ended: false };
    this.#calls.push(entry);
    try {
      const returned = await callback();
      entry.returned = returned;
      return returned;
    } catch (error) {
      const { name, message } = toErrorRecord(error);
      entry.threw = { name, message };
      throw error;
    } finally {
      entry.ended = true;
    }
  }

  sent(
    about: Pick<RecordedCall, "workflow" | "runId" | "step" | "args">,
    generation: number,
  ): void {
    const key = `${about.runId} ${generation} ${about.step}`;
    if (this.#sent.has(key)) return;
    this.#sent.add(key);
    this.#calls.push({ ...about, attempt: 1, replaced: false, ended: true });
  }

  clear(): void {
    this.#calls = [];
    this.#sent.clear();
  }
}
