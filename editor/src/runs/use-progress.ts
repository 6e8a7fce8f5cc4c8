/** The progress of a run, which is read again until the run has ended. */
import type { Document } from "@oxbow/declared/check";
import { useEffect, useState } from "react";
import type { RunProgress } from "../data/editor-data.ts";
import { useStore } from "../state/use-editor.ts";

/** States of a run that don't change any more. */
export const ENDED: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

export interface AskedProgress {
  readonly runId: string;
  /** Of a test. */
  readonly document?: Document;
  /** How often it is read again. */
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
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCurrent = true;
    const read = async (): Promise<void> => {
      try {
        const progress = await data.progress?.(asked.runId, asked.document);
        if (!isCurrent || progress === undefined) return;
        setState({ of: asked, answered: { progress } });
        if (!ENDED.has(progress.status)) timer = setTimeout(() => void read(), asked.everyMs);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (isCurrent) setState({ of: asked, answered: { message } });
      }
    };
    void read();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [data, asked]);
  return state.of === asked ? state.answered : NOTHING;
}
