/** The journal: each step with its result, its error and its failed attempts. Values are drawn when they are opened. */
import { type ReactNode, useState } from "react";
import type { Step } from "../../api/runs.ts";
import { duration } from "../../format/duration.ts";
import { errorText } from "../../format/error-text.ts";
import { shortened } from "../../format/shortened.ts";
import { JsonViewer } from "../../parts/json/json-viewer.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { FullTime } from "../../parts/time.tsx";
import { DetailsDialog } from "../../parts/details-dialog.tsx";
import { ErrorDetails } from "./error-details.tsx";

const STEPS_SHOWN = 200;

export function Journal({ steps }: { steps: readonly Step[] }): ReactNode {
  const [opened, setOpened] = useState<Step>();
  const [wanted, setWanted] = useState("");
  const [shown, setShown] = useState(STEPS_SHOWN);
  const found = steps.filter(({ name, decisions = [] }) =>
    [name, ...decisions.map((decision) => decision.name)].some((each) => each.includes(wanted)),
  );
  const columns: readonly Column<Step>[] = [
    { title: "#", kind: "number", wide: true, cell: ({ position }) => position },
    {
      title: "Step",
      kind: "long",
      cell: (step) => (
        <button type="button" className="link" onClick={() => setOpened(step)}>
          {step.name}
        </button>
      ),
    },
    { title: "Kind", wide: true, cell: ({ kind }) => kind },
    { title: "Calls", kind: "number", cell: ({ attempts }) => attempts },
    { title: "Ended", wide: true, cell: ({ completedAt }) => <FullTime at={completedAt} /> },
    { title: "Took", kind: "number", cell: ({ durationMs }) => duration(durationMs) },
    { title: "Result", kind: "long", wide: true, cell: resultOf },
  ];
  return (
    <>
      {steps.length <= STEPS_SHOWN ? null : (
        <p>
          <input
            type="search"
            aria-label="Search steps by name"
            placeholder="Search steps by name"
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />{" "}
          <span className="soft">{found.length.toLocaleString("en")} steps</span>
        </p>
      )}
      <Table
        caption="Journal"
        columns={columns}
        rows={found.slice(0, shown)}
        keyOf={({ position }) => String(position)}
        empty={<p>No step has ended yet.</p>}
      />
      {found.length <= shown ? null : (
        <p>
          <button type="button" onClick={() => setShown(shown + STEPS_SHOWN)}>
            More steps
          </button>
        </p>
      )}
      <DetailsDialog
        title={({ name }) => `Step ${name}`}
        of={opened}
        onClose={() => setOpened(undefined)}
      >
        {(step) => <OneStep step={step} />}
      </DetailsDialog>
    </>
  );
}

function OneStep({ step }: { step: Step }): ReactNode {
  const { kind, output, error, failures = [], decisions = [] } = step;
  const isEmpty = output === undefined && error === undefined && kind !== "decision";
  return (
    <>
      {output === undefined ? null : <JsonViewer label="Output" value={output} />}
      {error === undefined ? null : (
        <div className="problem">
          <p>{errorText(error)}</p>
          <ErrorDetails error={error} />
        </div>
      )}
      {isEmpty ? <p>The step returned nothing.</p> : null}
      {decisions.map(({ name, output: decided }) => (
        <JsonViewer key={name} label={`Decision ${name}`} value={decided} />
      ))}
      {failures.map((failure) => (
        <div className="problem" key={failure.attempt}>
          <p>
            Call {failure.attempt}, <FullTime at={failure.failedAt} />: {errorText(failure.error)}
          </p>
          <ErrorDetails error={failure.error} />
        </div>
      ))}
    </>
  );
}

const LONGEST = 80;

function resultOf({ output, error }: Step): ReactNode {
  if (error !== undefined) return <span className="bad">{errorText(error)}</span>;
  // Only the beginning of a large value is made into text.
  const text =
    typeof output === "string" ? JSON.stringify(output.slice(0, LONGEST)) : briefly(output);
  return <code>{shortened(text, LONGEST)}</code>;
}

function briefly(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const size = Object.keys(value).length;
  if (size > LONGEST) {
    return Array.isArray(value) ? `[ ${size} elements ]` : `{ ${size} properties }`;
  }
  return JSON.stringify(value);
}
