/** A step in the test of a draft: what it returned, its pin, and a test of only this step. */
import { type ReactNode, useId, useState } from "react";
import type { TestPin } from "../data/editor-data.ts";
import { titleOf } from "../document/connections.ts";
import { Fact } from "../shell/fact.tsx";
import { useEditor, useStore } from "../state/use-editor.ts";
import type { Returned } from "./returned.ts";
import type { DraftTest } from "./use-test.ts";

export function TestedStep({
  id,
  trial,
}: {
  readonly id: string;
  readonly trial: DraftTest;
}): ReactNode {
  const document = useEditor(({ drawing }) => drawing.document);
  const returned = trial.returnedBy(id);
  const { begun, progress, isRunning } = trial;
  const state = trial.marks.nodes.get(id);
  return (
    <div className="oxe-test-part">
      <h3>
        {titleOf(document, id)} {state === undefined ? null : <span>{state}</span>}
      </h3>
      <div className="oxe-buttons">
        <button type="button" disabled={isRunning} onClick={() => trial.start(id)}>
          Run this step alone
        </button>
        {returned === undefined || returned.standIn === "pin" ? null : (
          <button type="button" onClick={() => trial.pin(id, pinOf(returned))}>
            Pin what it returned
          </button>
        )}
      </div>
      {begun?.only === id && progress?.error !== undefined ? (
        <p className="oxe-problem error">{progress.error}</p>
      ) : null}
      {returned === undefined ? null : <Values of={returned} />}
      {/* Another pin is another form. */}
      <PinForm key={JSON.stringify(trial.pins[id] ?? null)} id={id} trial={trial} />
    </div>
  );
}

function pinOf({ output, error, handle }: Returned): TestPin {
  if (error !== undefined) return { error };
  return { output: output ?? null, ...(handle === undefined ? {} : { handle }) };
}

function Values({
  of: { input, output, error, handle, log, standIn },
}: {
  readonly of: Returned;
}): ReactNode {
  return (
    <dl className="oxe-returned">
      {standIn === undefined ? null : (
        <p className="oxe-hint">
          {standIn === "pin" ? "Pinned" : "A sample of its output"}: the step didn’t do its work.
        </p>
      )}
      <Value title="Input" value={input} />
      {error === undefined ? (
        <Value
          title={handle === undefined || handle === "out" ? "Output" : `Output, by “${handle}”`}
          value={output}
        />
      ) : (
        <div>
          <dt>Error</dt>
          <dd className="oxe-problem error">
            {error.code === undefined ? "" : `${error.code}: `}
            {error.message}
          </dd>
        </div>
      )}
      {log === undefined || log.length === 0 ? null : (
        <Value
          title="Log"
          value={log.map(({ level, message }) => `${level}: ${message}`).join("\n")}
        />
      )}
    </dl>
  );
}

const Value = ({ title, value }: { readonly title: string; readonly value: unknown }): ReactNode =>
  value === undefined ? null : (
    <Fact title={title}>
      <pre className="oxe-value">
        {typeof value === "string" ? value : JSON.stringify(value, undefined, 2)}
      </pre>
    </Fact>
  );

type Kind = "none" | "output" | "error";

/** What the step does in tests instead of its work. */
function PinForm({ id, trial }: { readonly id: string; readonly trial: DraftTest }): ReactNode {
  const { catalog } = useStore();
  const field = useId();
  const node = useEditor(({ drawing }) => drawing.document.nodes[id]);
  const pin = trial.pins[id];
  const [kind, setKind] = useState<Kind>(
    pin === undefined ? "none" : pin.error === undefined ? "output" : "error",
  );
  const [output, setOutput] = useState(() => JSON.stringify(pin?.output ?? null, undefined, 2));
  const [handle, setHandle] = useState(pin?.handle ?? "");
  const [code, setCode] = useState(pin?.error?.code ?? "");
  const [text, setText] = useState(pin?.error?.message ?? "");
  const [message, setMessage] = useState<string>();
  const handles = node === undefined ? [] : catalog.handlesOf(node);
  const apply = (): void => {
    if (kind === "error") {
      const error = {
        ...(code === "" ? {} : { code }),
        ...(text === "" ? {} : { message: text }),
      };
      trial.pin(id, { error });
      return;
    }
    try {
      const value = JSON.parse(output) as unknown;
      trial.pin(id, { output: value, ...(handle === "" ? {} : { handle }) });
    } catch (error) {
      setMessage(`The output is not JSON: ${error instanceof Error ? error.message : ""}`);
    }
  };
  return (
    <div className="oxe-pin">
      <label className="oxe-label" htmlFor={`${field}-kind`}>
        In tests
      </label>
      <select
        id={`${field}-kind`}
        value={kind}
        onChange={({ target }) => {
          const next = target.value as Kind;
          setKind(next);
          if (next === "none") trial.pin(id, undefined);
        }}
      >
        <option value="none">as it is</option>
        <option value="output">returns…</option>
        <option value="error">fails…</option>
      </select>
      {kind === "output" ? (
        <>
          {handles.length < 2 ? null : (
            <select
              aria-label="By"
              value={handle}
              onChange={({ target }) => setHandle(target.value)}
            >
              <option value="">by its first way</option>
              {handles.map((each) => (
                <option key={each} value={each}>
                  {`by ${each}`}
                </option>
              ))}
            </select>
          )}
          <textarea
            aria-label="Output of the pin"
            className="oxe-mono"
            rows={3}
            spellCheck={false}
            value={output}
            onChange={({ target }) => setOutput(target.value)}
          />
        </>
      ) : null}
      {kind === "error" ? (
        <>
          <input
            aria-label="Code of the error"
            placeholder="Code, such as TIMEOUT"
            value={code}
            onChange={({ target }) => setCode(target.value)}
          />
          <input
            aria-label="Message of the error"
            placeholder="Message"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </>
      ) : null}
      {message === undefined ? null : (
        <p className="oxe-problem error" role="alert">
          {message}
        </p>
      )}
      {kind === "none" ? null : (
        <button type="button" onClick={apply}>
          {pin === undefined ? "Pin" : "Change the pin"}
        </button>
      )}
    </div>
  );
}
