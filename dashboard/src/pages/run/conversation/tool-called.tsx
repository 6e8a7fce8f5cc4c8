import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { errorText } from "../../../format/error-text.ts";
import { shortened } from "../../../format/shortened.ts";
import { Badge } from "../../../parts/badge.tsx";
import { DetailsDialog } from "../../../parts/details-dialog.tsx";
import { JsonViewer } from "../../../parts/json/json-viewer.tsx";
import type { ToolCall, ToolState } from "./entries.ts";

const LONGEST = 200;

/** As the styles of badges know them. */
const LOOKS: Readonly<Record<ToolState, string>> = {
  done: "completed",
  failed: "failed",
  rejected: "rejected",
  waiting: "waiting",
  executing: "executing",
  "no result": "no result",
};

/** A call of a tool, with its input and its result in brief; whole when it is opened. */
export function ToolCalled({ call }: { readonly call: ToolCall }): ReactNode {
  const [opened, setOpened] = useState<ToolCall>();
  const { name, input, state, output, error, approval } = call;
  return (
    <div className="tool-called">
      <p>
        <button type="button" className="link" onClick={() => setOpened(call)}>
          {name}
        </button>{" "}
        <Badge text={state} look={LOOKS[state]} />
        {approval === undefined ? null : (
          <>
            {" "}
            <Link to="/approvals/$approvalId" params={{ approvalId: approval.id }}>
              {state === "waiting" ? "Waits for approval" : `Approval ${approval.status}`}
            </Link>
          </>
        )}
      </p>
      <Value label="Input" value={input} />
      {error === undefined ? (
        <Value label="Result" value={output} />
      ) : (
        <p className="bad">{textOf(error)}</p>
      )}
      <DetailsDialog
        title={(shown) => `Tool ${shown.name}`}
        of={opened}
        onClose={() => setOpened(undefined)}
      >
        {() => (
          <>
            <JsonViewer label="Input" value={input} />
            {output === undefined ? null : <JsonViewer label="Result" value={output} />}
            {error === undefined ? null : <JsonViewer label="Error" value={error} />}
          </>
        )}
      </DetailsDialog>
    </div>
  );
}

function Value({ label, value }: { readonly label: string; readonly value: unknown }): ReactNode {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  return (
    <p>
      <span className="soft">{label}</span> <code>{shortened(text, LONGEST)}</code>
    </p>
  );
}

const textOf = (error: unknown): string => (typeof error === "string" ? error : errorText(error));
