/** A run as a file: what a replay of it requires. */
import type { ErrorRecord } from "../core/error-record.ts";
import type { JournalEntry } from "./journal.ts";
import type { RunStatus } from "./run-shapes.ts";

/**
 * Everything that a replay of a run requires, as plain JSON. Keep it as a file; `replayRecording` of `@oxbow/sdk/testing`
 * replays it against later code. It contains the values of the run: check them for secrets before you commit the file.
 */
export interface RunRecording {
  /** The version of this format. */
  readonly recording: 1;
  readonly workflow: string;
  readonly version: number;
  readonly runId: string;
  readonly status: RunStatus;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The schedule that started the run. */
  readonly schedule?: { readonly name: string; readonly scheduledAt: string };
  /** The failed run that the run handles. A codec has encoded the input as it does for failure handlers. */
  readonly failureOf?: string;
  /** Number of the recorded generation, if the run has continued as new. */
  readonly generation?: number;
  /** The time of the last change of the run. ISO 8601. */
  readonly recordedAt: string;
  /** Absent if the run has no input. As stored, so encoded by the codec if there is one, like the journal and the output. */
  readonly input?: unknown;
  readonly journal: readonly JournalEntry[];
  /** The waits of a running run. */
  readonly waits: readonly RecordedWait[];
  /** The steps that a running run will retry. */
  readonly retries: readonly RecordedRetry[];
  readonly output?: unknown;
  readonly error?: ErrorRecord;
}

/** A sleep, an event or an invoked run that the run waited for. Times are ISO 8601. */
export interface RecordedWait {
  readonly kind: "sleep" | "event" | "invoke";
  readonly step: string;
  readonly event?: string;
  readonly match?: unknown;
  readonly since?: string;
  readonly until?: string;
}

/** A failed step with attempts left. */
export interface RecordedRetry {
  readonly step: string;
  readonly attempts: number;
  readonly until: string;
  readonly error: ErrorRecord;
}
