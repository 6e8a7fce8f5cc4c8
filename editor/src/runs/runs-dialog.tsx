/** The latest runs, and the progress of one on the canvas of its version. */
import { handleOf, type Json } from "@oxbow/declared/check";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { edgeId } from "../canvas/flow-elements.ts";
import type { Mark, Marks } from "../canvas/marks.ts";
import type { ListedRun, RunProgress } from "../data/editor-data.ts";
import { edgesOf } from "../document/edits.ts";
import { Dialog } from "../shell/dialog.tsx";
import { useEditor, useStore } from "../state/use-editor.ts";
import { ValueText } from "../versions/change-list.tsx";
import { DocumentView } from "../versions/document-view.tsx";

const REFRESH_MS = 2_000;
/** States of a run that don't change any more. */
const ENDED = new Set(["completed", "failed", "cancelled"]);

export function RunsDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { data } = useStore();
  const [runs, setRuns] = useState<readonly ListedRun[]>();
  const [message, setMessage] = useState<string>();
  const [chosen, setChosen] = useState<string>();
  useEffect(() => {
    data.runs?.().then(
      (found) => {
        setRuns(found);
        setChosen(found[0]?.runId);
      },
      (error: unknown) => setMessage(textOf(error)),
    );
  }, [data]);
  return (
    <Dialog title="Runs" isWide onClose={onClose}>
      {message === undefined ? null : <p className="oxe-problem error">{message}</p>}
      {runs === undefined && message === undefined ? <p aria-busy="true">Loading…</p> : null}
      {runs?.length === 0 ? <p>The workflow hasn’t run yet.</p> : null}
      {runs === undefined || runs.length === 0 ? null : (
        <label className="oxe-inline">
          Run
          <select value={chosen} onChange={({ target }) => setChosen(target.value)}>
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
  const { progress, message } = useProgress(runId);
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

/** States as marks: of a loop's body, the state that most of its rounds need attention for. */
function marksOf({ document, nodes: states, edges: taken }: RunProgress): Marks {
  const nodes = new Map<string, Mark>();
  for (const [path, state] of Object.entries(states)) {
    if (state === "idle") continue;
    const id = path.split(".").at(-1) ?? path;
    const known = nodes.get(id);
    if (known === undefined || rank(state) < rank(known)) nodes.set(id, state);
  }
  const edges = new Map<string, Mark>();
  for (const [at, edge] of edgesOf(document).entries()) {
    const state = taken[at];
    if (state === undefined || state === "open") continue;
    edges.set(edgeId(edge.from, handleOf(edge), edge.to), state);
  }
  return { nodes, edges };
}

const ORDER: readonly Mark[] = [
  "failed",
  "retrying",
  "running",
  "waiting",
  "abandoned",
  "succeeded",
  "skipped",
];
const rank = (mark: Mark): number => ORDER.indexOf(mark);

function useProgress(runId: string): {
  readonly progress?: RunProgress;
  readonly message?: string;
} {
  const { data } = useStore();
  const [state, setState] = useState<{
    readonly progress?: RunProgress;
    readonly message?: string;
  }>({});
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCurrent = true;
    const read = async (): Promise<void> => {
      try {
        const progress = await data.progress?.(runId);
        if (!isCurrent || progress === undefined) return;
        setState({ progress });
        if (!ENDED.has(progress.status)) timer = setTimeout(() => void read(), REFRESH_MS);
      } catch (error) {
        if (isCurrent) setState({ message: textOf(error) });
      }
    };
    void read();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [data, runId]);
  return state;
}

function useFirst<Value>(value: Value | undefined): Value | undefined {
  const [first, setFirst] = useState(value);
  if (first === undefined && value !== undefined) setFirst(value);
  return first ?? value;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
