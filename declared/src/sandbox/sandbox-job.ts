/** What the pool and its threads send each other. */

/** A call of user code. */
export interface SandboxJob {
  /** Calls of the same group may share an instance of the interpreter: those of one run. */
  readonly group: string;
  /** Body of a function with the parameter `input`. */
  readonly code: string;
  /** JSON. */
  readonly input: string;
  /** Seed of `Math.random`: 128 bits. */
  readonly seed: readonly [number, number, number, number];
  /** Milliseconds since 1970 at which `Date` stands still. */
  readonly now: number;
  readonly limits: SandboxLimits;
}

export interface SandboxLimits {
  readonly sourceBytes: number;
  readonly timeMs: number;
  readonly memoryBytes: number;
  readonly stackBytes: number;
  readonly outputBytes: number;
  readonly logLines: number;
  readonly logLineChars: number;
}

/** The limit that a call exceeded. */
export type Limit = "source" | "time" | "memory" | "stack" | "output";

/** How a call ended. */
export type SandboxEnd =
  | { readonly kind: "returned"; readonly output: string; readonly log: readonly LogLine[] }
  | { readonly kind: "threw"; readonly error: ThrownError; readonly log: readonly LogLine[] }
  /** The thread can't be used any more. */
  | { readonly kind: "limit"; readonly limit: Limit };

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly text: string;
}

export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** From a thread: it takes calls, it has begun the call, the call has ended. */
export type ThreadMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "begun" }
  | { readonly kind: "ended"; readonly end: SandboxEnd };
