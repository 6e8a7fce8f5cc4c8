/** The latest runs, and the progress of one on the canvas of its version. */
import type { Json } from "@oxbow/declared/check";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import type { ListedRun, RunProgress } from "../data/editor-data.ts";
import { Dialog } from "../shell/dialog.tsx";
import { useEditor, useStore } from "../state/use-editor.ts";
import { ValueText } from "../versions/change-list.tsx";
import { DocumentView } from "../versions/document-view.tsx";
import { marksOf } from "./run-marks.ts";
import { useProgress } from "./use-progress.ts";

const REFRESH_MS = 2_000;

export function RunsDialog({
  initialRun,
  onClose,
}: {
  /** The run that is shown first, which need not be among the latest. Default: the newest. */
  readonly initialRun: string | undefined;
  readonly onClose: () => void;
}): ReactNode {
  const { data } = useStore();
  const [runs, setRuns] = useState<readonly ListedRun[]>();
  const [message, setMessage] = useState<string>();
  const [chosen, setChosen] = useState(initialRun);
  useEffect(() => {
    data.runs?.().then(
      (found) => {
        setRuns(found);
        setChosen((already) => already ?? found[0]?.runId);
      },
      (error: unknown) => setMessage(textOf(error)),
    );
  }, [data]);
  const isListed = runs?.some(({ runId }) => runId === initialRun) === true;
  return (
    <Dialog title="Runs" isWide onClose={onClose}>
      {message === undefined ? null : <p className="oxe-problem error">{message}</p>}
      {runs === undefined && message === undefined ? <p aria-busy="true">Loading…</p> : null}
      {runs?.length === 0 && chosen === undefined ? <p>The workflow hasn’t run yet.</p> : null}
      {runs === undefined || runs.length === 0 ? null : (
        <label className="oxe-inline">
          Run
          <select value={chosen} onChange={({ target }) => setChosen(target.value)}>
            {initialRun === undefined || isListed ? null : (
              <option value={initialRun}>{`Run ${initialRun}`}</option>
            )}
            {runs.map(({ runId, status, startedAt, version }) => (
              <option key={runId} value={runId}>
                {`${startedAt.toLocaleString()}, ${status}`}
                {version === undefined ? "" : `, version ${version}`}
              </option>
            ))}
          </select>
        </label>
      )}
      {chosen === undefined ? null : <Run key={chosen} runId={chosen} />}
    </Dialog>
  );
}

function Run({ runId }: { readonly runId: string }): ReactNode {
  const positions = useEditor(({ drawing }) => drawing.positions);
  const asked = useMemo(() => ({ runId, everyMs: REFRESH_MS }), [runId]);
  const { progress, message } = useProgress(asked);
  const [selected, setSelected] = useState<string>();
  const marks = useMemo(() => (progress === undefined ? undefined : marksOf(progress)), [progress]);
  // The same document all the time, so that the canvas stays as it is.
  const document = useFirst(progress?.document);
  if (message !== undefined) return <p className="oxe-problem error">{message}</p>;
  if (progress === undefined || marks === undefined || document === undefined) {
    return <p aria-busy="true">Loading…</p>;
  }
  return (
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
          <Values id={selected} progress={progress} />
        )}
      </div>
    </div>
  );
}

function Values({
  id,
  progress,
}: {
  readonly id: string;
  readonly progress: RunProgress;
}): ReactNode {
  const value = progress.values?.[id];
  return (
    <dl className="oxe-changes">
      <div>
        <dt>{id}</dt>
        <dd>{progress.nodes[id] ?? "idle"}</dd>
      </div>
      {value?.handle === undefined ? null : (
        <div>
          <dt>By</dt>
          <dd>{value.handle}</dd>
        </div>
      )}
      {value?.output === undefined ? null : (
        <div>
          <dt>Output</dt>
          <dd>
            <ValueText value={value.output as Json} />
          </dd>
        </div>
      )}
      {value?.error === undefined ? null : (
        <div>
          <dt>Error</dt>
          <dd>
            <ValueText value={value.error as Json} />
          </dd>
        </div>
      )}
    </dl>
  );
}

function useFirst<Value>(value: Value | undefined): Value | undefined {
  const [first, setFirst] = useState(value);
  if (first === undefined && value !== undefined) setFirst(value);
  return first ?? value;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
