/**
 * Follows a run from a browser, by `GET /v1/runs/{id}/events`. Only globals of the web, and no file of another folder:
 * pages load it.
 *
 * Promises:
 *   B1  A lost connection is made again with backoff, and continues after the last event: no step and no chunk is missing,
 *       and none comes twice.
 *   B2  A connection that is silent for 40 s, as after a sleep of the machine, counts as lost. A page that gets the focus or
 *       comes online again does not wait.
 *   B3  A token that is refused is asked for again, if it is a function. Other refusals, and the same token once more, end
 *       the watch with their reason.
 *   B4  Nothing is called back after the stop.
 *   B5  A status is reported together with all steps and values that precede it, and an end with the output or the error.
 */
import { type RunRefusal, refusalOf, type RunTokenSource, tokenOf, urlOf } from "./run-request.ts";

/** A finished step. */
export interface WatchedStep {
  readonly name: string;
  readonly kind: string;
  readonly attempts: number;
  /** ISO 8601, as all times here. */
  readonly startedAt: string;
  readonly completedAt: string;
  readonly error?: WatchedError;
}

/** A step whose call takes longer than a second, as its worker reports it. */
export interface StepUnderWay {
  readonly step: string;
  readonly attempt: number;
  readonly since: string;
}

export interface WatchedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

export interface WatchedChunk {
  readonly position: string;
  readonly value: unknown;
  readonly step: string | null;
}

/** A run as the page knows it. Each call of `onChange` gets a new object. */
export interface WatchedRun {
  readonly runId: string;
  /** Undefined until the steps and the values so far are known. */
  readonly status: "running" | "completed" | "failed" | "cancelled" | undefined;
  /** As `activity` of a run: executing, waiting, sleeping, and others. Null once it has ended. */
  readonly activity: string | null;
  /** Values that the run has set with `ctx.set`. */
  readonly state: Readonly<Record<string, unknown>>;
  /** Finished steps of the current generation, in order. */
  readonly steps: readonly WatchedStep[];
  readonly inProgress: readonly StepUnderWay[];
  /** Chunks of the stream; a repeated call replaces its own. Empty unless `chunks` is true. */
  readonly chunks: readonly WatchedChunk[];
  readonly output: unknown;
  readonly error: WatchedError | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** Whether the page is connected. False while it reconnects, and after the end. */
  readonly isLive: boolean;
  /** Why the watch has ended before the run, such as a token that is refused. */
  readonly refusal: RunRefusal | null;
}

export interface WatchRunOptions {
  /** Url of the Oxbow server. */
  readonly url: string;
  /** A run token, or a function that gets a new one from the application. It is called when one expires. */
  readonly token: RunTokenSource;
  /** Also reads the stream of the run, for which the token needs `stream`. Default false. */
  readonly chunks?: boolean | undefined;
}

const SILENT_MS = 40_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;
/** Events of a page whose machine wakes up; other runtimes lack them. */
const WAKES = ["online", "pageshow", "focus", "visibilitychange"];
const page = globalThis as {
  readonly addEventListener?: (name: string, call: () => void) => void;
  readonly removeEventListener?: (name: string, call: () => void) => void;
};
/** A new token that is refused as well won't get better. */
const MOST_REFUSALS = 3;

/**
 * Watches a run until it ends: calls back with all that is known, after each change.
 *
 * @returns A function that stops the watch.
 * @example
 * const stop = watchRun(runId, { url, token }, ({ status, state }) => show(status, state));
 */
export function watchRun(
  runId: string,
  options: WatchRunOptions,
  onChange: (run: WatchedRun) => void,
): () => void {
  const watch = new RunWatch(runId, options, onChange);
  void watch.run();
  return () => watch.stop();
}

/** How a connection ended. */
interface ConnectionEnd {
  readonly isDone: boolean;
  readonly refused: RunRefusal | undefined;
  /** The refused token is that of the last refusal. */
  readonly isSameToken?: boolean;
}

interface ServerEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

class RunWatch {
  readonly #path: string;
  readonly #options: WatchRunOptions;
  readonly #onChange: (run: WatchedRun) => void;
  #run: WatchedRun;
  #generation = 0;
  #lastId = "";
  #isStopped = false;
  #refusedToken: string | undefined;
  /** Lists that nobody has seen yet, so that they can grow in place. */
  readonly #unseen = new Set<unknown>();
  /** Ends the connection, or the wait for the next one. */
  #interrupt: () => void = () => {};

  constructor(runId: string, options: WatchRunOptions, onChange: (run: WatchedRun) => void) {
    this.#path = `${urlOf(options.url, runId)}/events${options.chunks === true ? "?chunks=true" : ""}`;
    this.#options = options;
    this.#onChange = onChange;
    this.#run = {
      runId,
      status: undefined,
      activity: null,
      state: {},
      steps: [],
      inProgress: [],
      chunks: [],
      output: undefined,
      error: null,
      startedAt: null,
      completedAt: null,
      isLive: false,
      refusal: null,
    };
  }

  stop(): void {
    this.#isStopped = true;
    this.#interrupt();
  }

  async run(): Promise<void> {
    const hurry = (): void => this.#interrupt();
    for (const name of WAKES) page.addEventListener?.(name, hurry);
    let waitMs = FIRST_WAIT_MS;
    let refusals = 0;
    while (!this.#isStopped) {
      const end = await this.#connect().catch(() => ({ isDone: false, refused: undefined }));
      if (this.#isStopped || end.isDone) break;
      if (end.refused === undefined) {
        if (this.#run.isLive) [waitMs, refusals] = [FIRST_WAIT_MS, 0];
      } else {
        refusals += 1;
        const isFinal =
          end.refused.status !== 401 ||
          typeof this.#options.token === "string" ||
          end.isSameToken === true ||
          refusals >= MOST_REFUSALS;
        if (isFinal) {
          this.#change({ refusal: end.refused, isLive: false });
          break;
        }
      }
      this.#change({ isLive: false });
      // Pages that lost the same server come back one after the other.
      await this.#rest(waitMs * (0.5 + Math.random()));
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
    for (const name of WAKES) page.removeEventListener?.(name, hurry);
  }

  /** One connection, to its end. */
  async #connect(): Promise<ConnectionEnd> {
    const control = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lastByteAt = Date.now();
    const listen = (): void => {
      lastByteAt = Date.now();
      clearTimeout(timer);
      timer = setTimeout(() => control.abort(), SILENT_MS);
    };
    this.#interrupt = () => {
      // A page that comes back may have slept: its timers have too.
      if (this.#isStopped || Date.now() - lastByteAt > SILENT_MS / 2) control.abort();
    };
    listen();
    try {
      const token = await tokenOf(this.#options.token, control.signal);
      if (this.#isStopped) return { isDone: true, refused: undefined };
      const response = await fetch(this.#path, {
        headers: {
          authorization: `Bearer ${token}`,
          ...(this.#lastId === "" ? {} : { "last-event-id": this.#lastId }),
        },
        credentials: "omit",
        signal: control.signal,
      });
      if (!response.ok || response.body === null) {
        const refused = await refusalOf(response);
        if (refused?.status !== 401) return { isDone: false, refused };
        const isSameToken = this.#refusedToken === token;
        this.#refusedToken = token;
        return { isDone: false, refused, isSameToken };
      }
      if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
        const detail = `${this.#path} answers no events: check the url of the Oxbow server.`;
        return { isDone: false, refused: { status: response.status, detail } };
      }
      this.#change({ isLive: true });
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      let text = "";
      for (;;) {
        const { done, value } = (await reader.read()) as {
          readonly done: boolean;
          readonly value?: Uint8Array;
        };
        if (done) return { isDone: false, refused: undefined };
        listen();
        text += decoder.decode(value, { stream: true });
        const blocks = text.split("\n\n");
        text = blocks.pop() ?? "";
        const events = blocks.flatMap((block) => toEvent(block) ?? []);
        if (this.#take(events)) return { isDone: true, refused: undefined };
      }
    } finally {
      clearTimeout(timer);
      control.abort();
      this.#interrupt = () => {};
    }
  }

  /** Calls back once for all events that came together. Returns whether the run has ended. */
  #take(events: readonly ServerEvent[]): boolean {
    if (events.length === 0 || this.#isStopped) return false;
    const before = this.#run;
    let hasEnded = false;
    for (const { id, event, data } of events) {
      this.#run = this.#after(event, data);
      if (id !== "") this.#lastId = id;
      // A connection may end before the first event of the run itself.
      if (event === "step") this.#generation = Number(id.split("-")[0]);
      hasEnded ||= event === "end";
    }
    const run = hasEnded ? { ...this.#run, isLive: false } : this.#run;
    this.#run = before;
    this.#unseen.clear();
    this.#change(run);
    return hasEnded;
  }

  #after(event: string, data: Record<string, unknown>): WatchedRun {
    const run = this.#run;
    if (event === "run" || event === "end") {
      const generation = Number(data["generation"]);
      const isNext = this.#generation !== 0 && generation !== this.#generation;
      this.#generation = generation;
      // The end follows, and has the output.
      const news = event === "run" && data["status"] !== "running" ? {} : data;
      return { ...run, ...news, ...(isNext ? { steps: [] } : {}) };
    }
    if (event === "step") {
      return { ...run, steps: this.#appended(run.steps, data as unknown as WatchedStep) };
    }
    if (event === "state") return { ...run, state: data };
    if (event === "chunk") {
      return { ...run, chunks: this.#appended(run.chunks, data as unknown as WatchedChunk) };
    }
    if (event === "reset") {
      const since = BigInt(String(data["since"]));
      const isKept = ({ step, position }: WatchedChunk): boolean =>
        step !== data["step"] || BigInt(position) < since;
      return { ...run, chunks: run.chunks.filter(isKept) };
    }
    return run;
  }

  /** The first answer may have thousands of items: a list is copied once for all events that came together. */
  #appended<Item>(list: readonly Item[], item: Item): readonly Item[] {
    const longer = this.#unseen.has(list) ? (list as Item[]) : [...list];
    longer.push(item);
    this.#unseen.add(longer);
    return longer;
  }

  #change(changes: Partial<WatchedRun>): void {
    if (this.#isStopped) return;
    this.#run = { ...this.#run, ...changes };
    try {
      this.#onChange(this.#run);
    } catch (error) {
      // An error of the page is the page's: the watch continues.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Undefined for a comment. */
function toEvent(block: string): ServerEvent | undefined {
  // Not by a pattern, for which U+2028 in a text would end the line.
  const lines = block.split("\n");
  const field = (name: string): string =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? "";
  const event = field("event");
  if (event === "") return undefined;
  return { id: field("id"), event, data: JSON.parse(field("data")) as Record<string, unknown> };
}
