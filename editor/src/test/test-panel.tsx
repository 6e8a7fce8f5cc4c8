/** The test of the draft, below the canvas that shows its results: the input, and the step that is selected. */
import { type ReactNode, useCallback, useId } from "react";
import { Icon, IconButton } from "../catalog/icon.tsx";
import { useAnswer } from "../data/use-answer.ts";
import { titleOf } from "../document/connections.ts";
import { useEditor, useStore } from "../state/use-editor.ts";
import { TestedStep } from "./tested-step.tsx";
import type { DraftTest } from "./use-test.ts";

export function TestPanel({
  trial,
  onClose,
}: {
  readonly trial: DraftTest;
  readonly onClose: () => void;
}): ReactNode {
  const selected = useEditor((state) => state.selected);
  const [only] = selected;
  return (
    <section className="oxe-test" aria-label="Test">
      <header>
        <h2>Test</h2>
        <button
          type="button"
          className="oxe-primary"
          disabled={trial.isRunning}
          onClick={() => trial.start()}
        >
          <Icon name="play" size={15} /> Run the draft
        </button>
        {trial.begun === undefined ? null : (
          <button type="button" onClick={trial.clear}>
            {trial.isRunning ? "Stop" : "Clear"}
          </button>
        )}
        <Outcome trial={trial} />
        <span className="oxe-space" />
        <IconButton icon="close" label="Close the test" onClick={onClose} />
      </header>
      <div className="oxe-test-parts">
        <Input trial={trial} />
        {selected.length === 1 && only !== undefined ? (
          <TestedStep key={only} id={only} trial={trial} />
        ) : (
          <WholeRun trial={trial} />
        )}
      </div>
    </section>
  );
}

function Outcome({ trial }: { readonly trial: DraftTest }): ReactNode {
  const document = useEditor(({ drawing }) => drawing.document);
  const { begun, progress, isRunning, message } = trial;
  // A step that waits for an event or a long time does so in tests, too, unless it is pinned.
  const waiting = [...trial.marks.nodes].flatMap(([id, mark]) =>
    mark === "waiting" && document.nodes[id] !== undefined ? [titleOf(document, id)] : [],
  );
  const isOld = begun !== undefined && begun.document !== document;
  return (
    <p role="status" className={message === undefined ? "oxe-hint" : "oxe-problem error"}>
      {message ??
        (isRunning
          ? `Running${waiting.length === 0 ? "" : `: ${waiting.join(", ")}`}…`
          : progress === undefined
            ? ""
            : `The test is ${progress.status}.${isOld ? " The draft has changed since." : ""}`)}
    </p>
  );
}

function Input({ trial }: { readonly trial: DraftTest }): ReactNode {
  const { data } = useStore();
  const id = useId();
  return (
    <div className="oxe-test-part">
      <label className="oxe-label" htmlFor={`${id}-input`}>
        Input
      </label>
      <textarea
        id={`${id}-input`}
        className="oxe-mono"
        rows={5}
        spellCheck={false}
        placeholder="JSON; empty for no value"
        value={trial.input}
        onChange={({ target }) => trial.setInput(target.value)}
      />
      <PastRuns onChoose={trial.takeFrom} />
      {data.mayTestEffects === true ? (
        <label className="oxe-check">
          <input
            type="checkbox"
            checked={trial.effects === "real"}
            onChange={({ target }) => trial.setEffects(target.checked ? "real" : "mock")}
          />
          Carry out effects
        </label>
      ) : null}
      <p className="oxe-hint">
        {trial.effects === "mock"
          ? "Steps that read or write anything outside of the run take their pin, or a sample of their output."
          : "Steps do their work, except those that are pinned: messages are sent, requests are made."}
      </p>
    </div>
  );
}

function PastRuns({ onChoose }: { readonly onChoose: (runId: string) => void }): ReactNode {
  const { data } = useStore();
  // Tests work without past runs.
  const { value: runs = [] } = useAnswer(useCallback(() => data.runs?.(), [data]));
  if (runs.length === 0) return null;
  return (
    <select
      aria-label="Input and pins from a past run"
      value=""
      onChange={({ target }) => onChoose(target.value)}
    >
      <option value="">From a past run…</option>
      {runs.map(({ runId, status, startedAt }) => (
        <option key={runId} value={runId}>
          {`${runId}: ${startedAt.toLocaleString()}, ${status}`}
        </option>
      ))}
    </select>
  );
}

function WholeRun({ trial }: { readonly trial: DraftTest }): ReactNode {
  const { progress, begun, pins } = trial;
  const pinned = Object.keys(pins);
  return (
    <div className="oxe-test-part">
      {progress === undefined || begun?.only !== undefined ? null : (
        <>
          {progress.error === undefined ? null : (
            <p className="oxe-problem error">{progress.error}</p>
          )}
          {progress.output === undefined || progress.output === null ? null : (
            <>
              <h3>Output</h3>
              <pre className="oxe-value">{JSON.stringify(progress.output, undefined, 2)}</pre>
            </>
          )}
        </>
      )}
      <p className="oxe-hint">
        Choose a step to see what it returned, to pin it, or to test it alone.
      </p>
      {pinned.length === 0 ? null : (
        <ul className="oxe-pins" aria-label="Pins">
          {pinned.map((id) => (
            <li key={id}>
              <code>{id}</code>{" "}
              <IconButton
                icon="close"
                size={13}
                label={`Remove the pin of ${id}`}
                onClick={() => trial.pin(id, undefined)}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
