/** Answers that models are giving: text that the run streams, until its step is in the journal. */
import { useEffect, useEffectEvent, useState } from "react";
import { follow, inBatches, type ServerEvent } from "../../../api/events.ts";
import type { Run, Step } from "../../../api/runs.ts";
import { isNameOfModelCall } from "../model-calls.ts";

export interface LiveAnswer {
  readonly step: string;
  readonly parts: readonly LivePart[];
}

interface LivePart {
  readonly kind: "text" | "reasoning";
  readonly id: unknown;
  readonly text: string;
}

type Known = ReadonlyMap<string, LiveAnswer>;

const GATHER_MS = 50;

/** Answers that have no step yet. Those of a run that was cancelled, or has failed, stay unfinished. */
export function useLiveAnswers(run: Run, steps: readonly Step[]): readonly LiveAnswer[] {
  const { runId, status, generation } = run;
  const [answers, setAnswers] = useState<Known>(new Map());
  const journaled = new Set(steps.map(({ name }) => name));
  const namesOfSteps = useEffectEvent(() => journaled);
  const isFollowed = status !== "completed";
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    void (async () => {
      if (!isFollowed) return;
      const events = follow(`./v1/runs/${runId}/stream`, signal);
      for await (const batch of inBatches(events, GATHER_MS, signal)) {
        const names = namesOfSteps();
        setAnswers((known) => next(known, batch, names));
      }
    })().catch(() => {});
    return () => leaving.abort();
  }, [runId, isFollowed]);
  const inProgress = new Set(run.inProgress.map(({ step }) => step));
  // The stream has the text of earlier generations as well, whose journals are gone.
  return [...answers.values()].filter(
    ({ step }) => !journaled.has(step) && (generation === 1 || inProgress.has(step)),
  );
}

export function next(
  known: Known,
  events: readonly ServerEvent[],
  journaled: ReadonlySet<string>,
): Known {
  const answers = new Map([...known].filter(([step]) => !journaled.has(step)));
  for (const { name, data } of events) {
    const { step, value } = (data ?? {}) as {
      readonly step?: string | null;
      readonly value?: unknown;
    };
    if (typeof step !== "string" || !isNameOfModelCall(step) || journaled.has(step)) continue;
    const { parts } = answers.get(step) ?? { parts: [] };
    // A call was interrupted or has failed, and the one that repeats it begins again.
    if (name === "reset") answers.set(step, { step, parts: [] });
    else answers.set(step, { step, parts: withChunk(parts, value) });
  }
  return answers;
}

function withChunk(parts: readonly LivePart[], value: unknown): readonly LivePart[] {
  const { type, id, delta } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if ((type !== "text-delta" && type !== "reasoning-delta") || typeof delta !== "string") {
    return parts;
  }
  const kind = type === "text-delta" ? "text" : "reasoning";
  const last = parts.at(-1);
  return last?.kind === kind && last.id === id
    ? [...parts.slice(0, -1), { kind, id, text: last.text + delta }]
    : [...parts, { kind, id, text: delta }];
}
