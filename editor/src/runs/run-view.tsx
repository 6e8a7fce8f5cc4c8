/** The progress of a run on the canvas of its version: what each step did, in all iterations of its loop or in one. */
import type { Document, Json } from "@oxbow/declared/check";
import { type ReactNode, useMemo, useState } from "react";
import type { RunProgress } from "../data/editor-data.ts";
import { Fact } from "../shell/fact.tsx";
import { useEditor } from "../state/use-editor.ts";
import { readReturned } from "../test/returned.ts";
import { ValueText } from "../versions/change-list.tsx";
import { DocumentView } from "../versions/document-view.tsx";
import { IterationFields } from "./iteration-fields.tsx";
import { ALL_ITERATIONS, type ChosenIterations, idOf, isChosen, pathOf } from "./iterations.ts";
import { marksOf } from "./run-marks.ts";
import { useProgress } from "./use-progress.ts";

const REFRESH_MS = 2_000;

export function RunView({
  runId,
  onShowRun,
}: {
  readonly runId: string;
  /** Shows another run: that of an iteration. */
  readonly onShowRun: (runId: string) => void;
}): ReactNode {
  const positions = useEditor(({ drawing }) => drawing.positions);
  const asked = useMemo(() => ({ runId, everyMs: REFRESH_MS }), [runId]);
  const { progress, message } = useProgress(asked);
  const [selected, setSelected] = useState<string>();
  const [chosen, setChosen] = useState(ALL_ITERATIONS);
  const marks = useMemo(
    () => (progress === undefined ? undefined : marksOf(progress, chosen)),
    [progress, chosen],
  );
  // The same document while the version stays, so that the canvas does.
  const document = useLast(progress?.document);
  if (message !== undefined) return <p className="oxe-problem error">{message}</p>;
  if (progress === undefined || marks === undefined || document === undefined) {
    return <p aria-busy="true">Loading…</p>;
  }
  return (
    <>
      <IterationFields
        runId={runId}
        progress={progress}
        chosen={chosen}
        onChoose={setChosen}
        onShowRun={onShowRun}
      />
      <div className="oxe-comparison">
        <div className="oxe-comparison-canvas tall">
          <DocumentView
            document={document}
            positions={positions}
            marks={marks}
            onSelect={setSelected}
          />
        </div>
        <div role="status">
          {selected === undefined ? (
            <p className="oxe-hint">
              The run is {progress.status}. Choose a step to see what it returned.
            </p>
          ) : (
            <Values id={selected} progress={progress} chosen={chosen} />
          )}
        </div>
      </div>
    </>
  );
}

function Values({
  id,
  progress,
  chosen,
}: {
  readonly id: string;
  readonly progress: RunProgress;
  readonly chosen: ChosenIterations;
}): ReactNode {
  const path = pathOf(progress.document, id, chosen);
  if (path === undefined) return <States id={id} progress={progress} chosen={chosen} />;
  const value = progress.values?.[path];
  const guard = progress.guards?.[path];
  return (
    <dl className="oxe-changes">
      <Fact title={path}>{progress.nodes[path] ?? "idle"}</Fact>
      {guard === undefined ? null : (
        <Fact title="Condition">
          <code>{progress.document.nodes[id]?.when}</code> {String(guard)}
        </Fact>
      )}
      {value?.handle === undefined ? null : <Fact title="By">{value.handle}</Fact>}
      {value?.output === undefined ? null : (
        <Fact title="Output">
          <ValueText value={value.output as Json} />
        </Fact>
      )}
      {value?.error === undefined ? null : (
        <Fact title="Error">
          <p className="oxe-problem error">{errorText(value.error)}</p>
          <details>
            <summary>Details</summary>
            <ValueText value={value.error as Json} />
          </details>
        </Fact>
      )}
    </dl>
  );
}

/** The error that a handler threw, rather than that of its last attempt. */
function errorText(error: unknown): string {
  const { code, message } = readReturned({ error }).error ?? {};
  return [code, message ?? JSON.stringify(error)].filter((part) => part !== undefined).join(": ");
}

/** Shows how many iterations of a step are in which state. */
function States({
  id,
  progress: { nodes },
  chosen,
}: {
  readonly id: string;
  readonly progress: RunProgress;
  readonly chosen: ChosenIterations;
}): ReactNode {
  const counts = new Map<string, number>();
  for (const [path, state] of Object.entries(nodes)) {
    if (idOf(path) !== id || !isChosen(path, chosen)) continue;
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return (
    <>
      <dl className="oxe-changes">
        <Fact title={id}>
          {[...counts].map(([state, count]) => `${state} ${count}`).join(", ") || "not begun"}
        </Fact>
      </dl>
      <p className="oxe-hint">Choose an iteration to see what the step returned in it.</p>
    </>
  );
}

/** The same object while the content is the same. */
function useLast(value: Document | undefined): Document | undefined {
  const [last, setLast] = useState(value);
  const isSame = last === value || JSON.stringify(last) === JSON.stringify(value);
  if (!isSame) setLast(value);
  return isSame ? last : value;
}
