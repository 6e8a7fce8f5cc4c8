/** The latest runs, and the progress of one. */
import { type ReactNode, useCallback, useState } from "react";
import { useAnswer } from "../data/use-answer.ts";
import { Dialog } from "../shell/dialog.tsx";
import { useStore } from "../state/use-editor.ts";
import { RunView } from "./run-view.tsx";

export function RunsDialog({
  initialRun,
  onClose,
}: {
  /** The run that is shown first, which need not be among the latest. Default: the newest. */
  readonly initialRun: string | undefined;
  readonly onClose: () => void;
}): ReactNode {
  const { data } = useStore();
  const { value: runs, message } = useAnswer(useCallback(() => data.runs?.(), [data]));
  const [picked, setPicked] = useState(initialRun);
  const chosen = picked ?? runs?.[0]?.runId;
  // Runs of iterations, and older ones, are not among the latest: those that were shown can be shown again.
  const [others, setOthers] = useState(initialRun === undefined ? [] : [initialRun]);
  const show = (runId: string): void => {
    setOthers((known) => [
      ...new Set([...known, ...(chosen === undefined ? [] : [chosen]), runId]),
    ]);
    setPicked(runId);
  };
  const unlisted = others.filter((other) => runs?.every(({ runId }) => runId !== other) === true);
  return (
    <Dialog title="Runs" isWide onClose={onClose}>
      {message === undefined ? null : <p className="oxe-problem error">{message}</p>}
      {runs === undefined && message === undefined ? <p aria-busy="true">Loading…</p> : null}
      {runs?.length === 0 && chosen === undefined ? <p>The workflow hasn’t run yet.</p> : null}
      {runs === undefined || runs.length === 0 ? null : (
        <label className="oxe-inline oxe-run-choice">
          Run
          <select value={chosen} onChange={({ target }) => setPicked(target.value)}>
            {unlisted.map((runId) => (
              <option key={runId} value={runId}>{`Run ${runId}`}</option>
            ))}
            {runs.map(({ runId, status, startedAt, version }) => (
              <option key={runId} value={runId}>
                {`${startedAt.toLocaleString()}, ${status}`}
                {version === undefined ? "" : `, version ${version}`}
              </option>
            ))}
          </select>
        </label>
      )}
      {chosen === undefined ? null : <RunView key={chosen} runId={chosen} onShowRun={show} />}
    </Dialog>
  );
}
