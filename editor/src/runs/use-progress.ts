/** The progress of a run, which is followed until the run has ended. */
import type { Document } from "@oxbow/declared/check";
import { useEffect, useState } from "react";
import { messageOf } from "../data/message-of.ts";
import type { EditorData, RunProgress } from "../data/editor-data.ts";
import { useStore } from "../state/use-editor.ts";

/** States of a run that don't change any more. */
export const ENDED: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

export interface AskedProgress {
  readonly runId: string;
  /** Document of a test. */
  readonly document?: Document;
  /** How often it is read again, if the data can't follow it. */
  readonly everyMs: number;
}

interface Answered {
  readonly progress?: RunProgress;
  readonly message?: string;
}

const NOTHING: Answered = {};

/** @param asked The same object while the same run is followed. */
export function useProgress(asked: AskedProgress | undefined): Answered {
  const { data } = useStore();
  const [state, setState] = useState<{
    readonly of: AskedProgress | undefined;
    readonly answered: Answered;
  }>({ of: undefined, answered: NOTHING });
  useEffect(() => {
    if (asked === undefined) return undefined;
    const leaving = new AbortController();
    void follow(data, asked, leaving.signal, (answered) => setState({ of: asked, answered }));
    return () => leaving.abort();
  }, [data, asked]);
  return state.of === asked ? state.answered : NOTHING;
}

async function follow(
  data: EditorData,
  asked: AskedProgress,
  signal: AbortSignal,
  onAnswered: (answered: Answered) => void,
): Promise<void> {
  try {
    for await (const progress of progressOf(data, asked, signal)) {
      if (signal.aborted) return;
      onAnswered({ progress });
    }
  } catch (error) {
    const message = messageOf(error);
    if (!signal.aborted) onAnswered({ message });
  }
}

async function* progressOf(
  data: EditorData,
  { runId, document, everyMs }: AskedProgress,
  signal: AbortSignal,
): AsyncGenerator<RunProgress> {
  if (data.followProgress !== undefined) {
    const options = document === undefined ? { signal } : { document, signal };
    yield* data.followProgress(runId, options);
    return;
  }
  for (;;) {
    const progress = await data.progress?.(runId, document);
    if (progress === undefined || signal.aborted) return;
    yield progress;
    if (ENDED.has(progress.status)) return;
    await new Promise((resolve) => {
      setTimeout(resolve, everyMs);
    });
    if (signal.aborted) return;
  }
}
