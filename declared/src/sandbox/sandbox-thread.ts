/**
 * A thread of the sandbox: it is sent QuickJS, as a module of WebAssembly, and then calls. It has an instance of the module for
 * each run, and calls user code in a runtime and a context of its own each, which have no function of the host. After a limit
 * the instance isn't used any more, since freeing it may abort; the pool ends the thread.
 */
import { once } from "node:events";
import { parentPort } from "node:worker_threads";
import release from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { Instances } from "./instances.ts";
import { PRELUDE } from "./prelude.ts";
import type {
  Limit,
  LogLine,
  SandboxEnd,
  SandboxJob,
  ThreadMessage,
  ThrownError,
} from "./sandbox-job.ts";

function answer(message: ThreadMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
  parentPort?.postMessage(message);
}

/** User code threw, or was stopped. */
class Thrown extends Error {
  readonly error: QuickJSHandle;

  constructor(error: QuickJSHandle) {
    super("thrown in the sandbox");
    this.error = error;
  }
}

/** TypeScript has the types of WebAssembly only for browsers. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => {
    grow(pages: number): number;
  };
};

const PAGE_BYTES = 65_536;

/** An instance begins with these. Its own data and stack are in them, so they aren't counted. */
const INITIAL_PAGES = 256;

/**
 * The memory of an instance. The limit of QuickJS itself bounds single allocations only: it doesn't know their sizes in
 * WebAssembly, and counts 8 bytes for each.
 */
class BoundedMemory extends WebAssembly.Memory {
  /** It couldn't grow when it was last asked to. */
  isFull = false;

  constructor(bytes: number) {
    const maximum = INITIAL_PAGES + Math.ceil(bytes / PAGE_BYTES);
    super({ initial: INITIAL_PAGES, maximum });
  }

  override grow(pages: number): number {
    this.isFull = true;
    const before = super.grow(pages);
    this.isFull = false;
    return before;
  }
}

interface Instance {
  readonly module: QuickJSWASMModule;
  readonly memory: BoundedMemory;
}

class Call {
  readonly #job: SandboxJob;
  readonly #memory: BoundedMemory;
  readonly #context: QuickJSContext;
  readonly #endsAt: number;
  readonly #handles: QuickJSHandle[] = [];
  #isInterrupted = false;

  constructor({ module, memory }: Instance, job: SandboxJob) {
    const { timeMs, stackBytes } = job.limits;
    this.#job = job;
    this.#memory = memory;
    memory.isFull = false;
    this.#endsAt = performance.now() + timeMs;
    const runtime = module.newRuntime({
      maxStackSizeBytes: stackBytes,
      interruptHandler: () => {
        this.#isInterrupted ||= performance.now() > this.#endsAt;
        return this.#isInterrupted;
      },
    });
    this.#context = runtime.newContext();
  }

  carryOut(): SandboxEnd {
    const { code, input, limits } = this.#job;
    const tools = this.#prepared();
    try {
      const run = this.#do(tools, "compile", this.#text(code));
      const returned = this.#do(tools, "call", run, this.#text(input));
      const text = this.#do(tools, "output", returned);
      if (this.#lengthOf(text) > limits.outputBytes) return { kind: "limit", limit: "output" };
      const output = this.#context.getString(text);
      if (Buffer.byteLength(output) > limits.outputBytes) return { kind: "limit", limit: "output" };
      // It was made by user code's own `toJSON`, so it is checked here.
      JSON.parse(output);
      return { kind: "returned", output, log: this.#log(tools) };
    } catch (error) {
      // There may have been no memory for its error, nor for the text of the output.
      if (this.#memory.isFull) return { kind: "limit", limit: "memory" };
      if (!(error instanceof Thrown)) throw error;
      const thrown = this.#described(tools, error.error);
      // A getter of the error may not have ended.
      if (this.#isInterrupted) return { kind: "limit", limit: "time" };
      const limit = limitIn(thrown);
      return limit === undefined
        ? { kind: "threw", error: thrown, log: this.#log(tools) }
        : { kind: "limit", limit };
    }
  }

  /** Not after a limit. */
  dispose(): void {
    const { runtime } = this.#context;
    for (const handle of this.#handles) handle.dispose();
    this.#context.dispose();
    runtime.dispose();
  }

  #prepared(): QuickJSHandle {
    const { seed, now, limits } = this.#job;
    const prepare = this.#value(this.#context.evalCode(PRELUDE, "prelude.js"));
    const numbers = [now, ...seed, limits.logLines, limits.logLineChars];
    return this.#value(
      this.#context.callFunction(
        prepare,
        this.#context.undefined,
        ...numbers.map((number) => this.#kept(this.#context.newNumber(number))),
      ),
    );
  }

  #do(tools: QuickJSHandle, name: string, ...args: QuickJSHandle[]): QuickJSHandle {
    const tool = this.#kept(this.#context.getProp(tools, name));
    return this.#value(this.#context.callFunction(tool, this.#context.undefined, ...args));
  }

  #value(result: ReturnType<QuickJSContext["callFunction"]>): QuickJSHandle {
    if (result.error !== undefined) throw new Thrown(this.#kept(result.error));
    return this.#kept(result.value);
  }

  #kept(handle: QuickJSHandle): QuickJSHandle {
    this.#handles.push(handle);
    return handle;
  }

  #text(text: string): QuickJSHandle {
    return this.#kept(this.#context.newString(text));
  }

  /** In UTF-16 code units, which are at most as many as bytes. */
  #lengthOf(text: QuickJSHandle): number {
    return this.#context.getNumber(this.#kept(this.#context.getProp(text, "length")));
  }

  #log(tools: QuickJSHandle): readonly LogLine[] {
    const { logLines, logLineChars } = this.#job.limits;
    try {
      const text = this.#context.getString(this.#do(tools, "log"));
      const lines = JSON.parse(text) as readonly LogLine[];
      return lines.slice(0, logLines).map(({ level, text: line }) => ({
        level: LEVELS.has(level) ? level : "info",
        text: line.slice(0, logLineChars),
      }));
    } catch {
      return [];
    }
  }

  /** Getters of the error are user code as well. */
  #described(tools: QuickJSHandle, error: QuickJSHandle): ThrownError {
    try {
      const text = this.#context.getString(this.#do(tools, "describe", error));
      return JSON.parse(text) as ThrownError;
    } catch {
      return { name: "Error", message: "the thrown value can't be read", stack: "" };
    }
  }
}

const LEVELS = new Set<unknown>(["debug", "info", "warn", "error"]);

/** Errors that QuickJS throws at its limits. User code that throws the like of them fails as if it had exceeded one. */
function limitIn({ name, message }: ThrownError): Limit | undefined {
  if (
    /^(?:InternalError|RangeError)$/.test(name) &&
    /stack (?:overflow|size exceeded)/.test(message)
  ) {
    return "stack";
  }
  return name === "InternalError" && message === "out of memory" ? "memory" : undefined;
}

/** QuickJS has no memory left for an error and aborted, or has used up the stack of the thread. */
function limitOf(error: unknown): Limit {
  if (error instanceof RangeError && /call stack/i.test(error.message)) return "stack";
  if (error instanceof Error && error.name === "RuntimeError") return "memory";
  throw error;
}

function carryOut(instance: Instance, job: SandboxJob): SandboxEnd {
  try {
    call = new Call(instance, job);
    return call.carryOut();
  } catch (error) {
    return { kind: "limit", limit: limitOf(error) };
  }
}

/** Frees what the call has left. A call at a limit leaves all of it, and its thread is ended. */
function cleanUp(end: SandboxEnd): void {
  if (end.kind !== "limit") call?.dispose();
  call = undefined;
}

if (parentPort === null) throw new Error("This isn't a thread.");
const [wasmModule] = (await once(parentPort, "message")) as [never];

async function makeInstance(memoryBytes: number): Promise<Instance> {
  const memory = new BoundedMemory(memoryBytes);
  const wasmMemory = memory as never;
  // The package has only the types of CommonJS.
  const variant = newVariant(release as unknown as QuickJSSyncVariant, { wasmModule, wasmMemory });
  return { module: await newQuickJSWASMModuleFromVariant(variant), memory };
}

const instances = new Instances(makeInstance);
let call: Call | undefined;

async function receive(job: SandboxJob): Promise<void> {
  const instance = await instances.of(job.group, job.limits.memoryBytes);
  answer({ kind: "begun" });
  const end = carryOut(instance, job);
  answer({ kind: "ended", end });
  cleanUp(end);
  if (end.kind !== "limit") answer({ kind: "ready" });
}

// A rejection ends the thread.
parentPort.on("message", (job: SandboxJob) => void receive(job));
answer({ kind: "ready" });
