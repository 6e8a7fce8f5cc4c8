/**
 * The seam between the engine and its verbs: what a verb tells of itself, and what it has to work with.
 */
import type { Clock } from "../../core/clock.ts";
import type { RetryPolicy } from "../../core/backoff.ts";
import type { Codec } from "../../core/codec.ts";
import type { ErrorRecord, StepKind } from "../../protocol/messages.ts";
import type { Agenda } from "../agenda.ts";
import type { Commits } from "../commits.ts";
import type { NextContinuation } from "../next-continuation.ts";

/** What a step came to, as its journal entry has it. */
export interface Outcome {
  readonly output?: unknown;
  readonly error?: ErrorRecord;
  readonly attempts: number;
}

/** A step that the body has asked for. */
export interface AskedStep<Value = unknown> {
  readonly name: string;
  readonly kind: StepKind;
  /** What the body holds. */
  readonly promise: Promise<Value>;
  /** The body has its outcome. */
  readonly hasEnded: boolean;
  /** Nothing is journaled under its name: it is to happen. */
  begin(): void;
  /** Its deadline has passed. */
  fallDue(): void;
  /** Hands its outcome, live or from the journal, to the body. */
  end(outcome: Outcome): void;
}

/** What a verb has to work with. */
export interface StepHost {
  readonly runId: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** For steps that say nothing else. */
  readonly retry: RetryPolicy;
  readonly codec: Codec | undefined;
  readonly agenda: Pick<Agenda, "setDeadline" | "call" | "finish">;
  readonly continuation: NextContinuation;
  readonly commits: Pick<Commits, "mark" | "nextMark" | "addEffect">;
}
