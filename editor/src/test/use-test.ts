/**
 * The test of a draft: its input and pins, and the run that was started last. They are kept while the editor is open, and
 * belong to no document.
 */
import { type Document, handleOf, sampleOf } from "@oxbow/declared/check";
import { useEffect, useMemo, useState } from "react";
import { messageOf } from "../data/message-of.ts";
import type { Marks } from "../canvas/marks.ts";
import type { RunProgress, TestPin } from "../data/editor-data.ts";
import { edgesOf } from "../document/edits.ts";
import { marksOf } from "../runs/run-marks.ts";
import { type AskedProgress, ENDED, useProgress } from "../runs/use-progress.ts";
import type { EditorStore } from "../state/editor-store.ts";
import { useStore } from "../state/use-editor.ts";
import { type Returned, readReturned } from "./returned.ts";

/** Tests are short. */
const REFRESH_MS = 400;

interface Begun extends AskedProgress {
  readonly document: Document;
  /** The only node that was executed. */
  readonly only: string | undefined;
}

export interface DraftTest {
  /** The input as text in JSON. */
  readonly input: string;
  readonly setInput: (text: string) => void;
  readonly pins: Readonly<Record<string, TestPin>>;
  /** Sets the pin of a node; undefined removes it. */
  readonly pin: (id: string, pin: TestPin | undefined) => void;
  readonly effects: "mock" | "real";
  readonly setEffects: (effects: "mock" | "real") => void;
  readonly begun: Begun | undefined;
  readonly progress: RunProgress | undefined;
  readonly isRunning: boolean;
  /** Why the test couldn't be started or followed. */
  readonly message: string | undefined;
  readonly marks: Marks;
  readonly start: (only?: string) => void;
  /** Ends and deletes the run. */
  readonly clear: () => void;
  /** Takes the input of a run, and pins its steps to what they returned. */
  readonly takeFrom: (runId: string) => void;
  /** The result of a node in the run. */
  readonly returnedBy: (id: string) => Returned | undefined;
}

export function useTest(): DraftTest {
  const store = useStore();
  const { data } = store;
  const [input, setInput] = useState(() => firstInput(store));
  const [pins, setPins] = useState<Readonly<Record<string, TestPin>>>({});
  const [effects, setEffects] = useState<"mock" | "real">("mock");
  const [begun, setBegun] = useState<Begun>();
  const [isStarting, setStarting] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const followed = useProgress(begun);
  const { progress } = followed;
  useDeletedOnLeave(begun?.runId, data.deleteTest);

  const marks = useMemo<Marks>(() => {
    const pinned = new Set(Object.keys(pins));
    if (progress === undefined) return { nodes: new Map(), edges: new Map(), pinned };
    const all = marksOf(progress);
    const only = begun?.only;
    if (only === undefined) return { ...all, pinned };
    const result = alone(progress);
    const mark =
      result === undefined ? "running" : result.handle === "error" ? "failed" : "succeeded";
    return { nodes: new Map([[only, mark]]), edges: new Map(), pinned };
  }, [progress, begun, pins]);

  const attempt = async (act: () => Promise<void>): Promise<void> => {
    setRefusal(undefined);
    try {
      await act();
    } catch (error) {
      setRefusal(messageOf(error));
    }
  };

  return {
    input,
    setInput,
    pins,
    pin: (id, pin) =>
      setPins(({ [id]: _old, ...others }) =>
        pin === undefined ? others : { ...others, [id]: pin },
      ),
    effects,
    setEffects,
    begun,
    progress,
    isRunning: isStarting || (begun !== undefined && !ENDED.has(progress?.status ?? "")),
    message: refusal ?? followed.message,
    marks,
    start: (only) => {
      setStarting(true);
      setBegun(undefined);
      void attempt(async () => {
        const { document } = store;
        const given = Object.entries(pins).filter(([id]) => Object.hasOwn(document.nodes, id));
        const answer = await data.test?.({
          document,
          ...(input.trim() === "" ? {} : { input: readInput(input) }),
          pins: Object.fromEntries(given),
          effects,
          ...(only === undefined ? {} : { only }),
        });
        if (answer === undefined) return;
        setBegun({ runId: answer.runId, document, only, everyMs: REFRESH_MS });
      }).finally(() => setStarting(false));
    },
    clear: () => setBegun(undefined),
    takeFrom: (runId) =>
      void attempt(async () => {
        const past = await data.progress?.(runId);
        if (past === undefined) return;
        if (past.input !== undefined) setInput(JSON.stringify(past.input, undefined, 2));
        const taken = pinsFrom(past, store);
        setPins(taken);
        const count = Object.keys(taken).length;
        store.notify(`${count} ${count === 1 ? "step is" : "steps are"} pinned to run ${runId}.`);
      }),
    returnedBy: (id) => {
      if (progress === undefined || begun === undefined) return undefined;
      if (begun.only === id) return alone(progress);
      const value = progress.values?.[id];
      return value === undefined ? undefined : readReturned(value);
    },
  };
}

/** The result of a test of one node, which is the output of its run. */
function alone({ status, output }: RunProgress): Returned | undefined {
  return status === "completed" && typeof output === "object" && output !== null
    ? output
    : undefined;
}

/** A value that the schema of the input accepts. */
function firstInput({ document: { input } }: EditorStore): string {
  return input === undefined ? "" : JSON.stringify(sampleOf(input), undefined, 2);
}

function readInput(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    throw new Error(`The input is not JSON: ${reason}`, { cause: error });
  }
}

/** Pins the steps outside of loops that returned something, by the ways that they took. */
function pinsFrom(run: RunProgress, { document, catalog }: EditorStore): Record<string, TestPin> {
  const edges = edgesOf(run.document);
  const pins: Record<string, TestPin> = {};
  for (const [id, value] of Object.entries(run.values ?? {})) {
    const node = document.nodes[id];
    if (node === undefined || run.document.nodes[id] === undefined) continue;
    const { output, error, handle } = readReturned(value);
    if (error !== undefined) pins[id] = { error };
    else {
      const taken = edges.find((edge, at) => edge.from === id && run.edges[at] === "taken");
      const way = handle ?? (taken === undefined ? undefined : handleOf(taken));
      const isKnown = way !== undefined && catalog.handlesOf(node).includes(way);
      pins[id] = { output: output ?? null, ...(isKnown ? { handle: way } : {}) };
    }
  }
  return pins;
}

/** Deletes a test run that is followed no more. */
function useDeletedOnLeave(
  runId: string | undefined,
  deleteTest: ((runId: string) => Promise<void>) | undefined,
): void {
  useEffect(() => {
    if (runId === undefined) return undefined;
    return () => {
      // It is deleted a day after its end otherwise.
      void deleteTest?.(runId).catch(() => undefined);
    };
  }, [runId, deleteTest]);
}
