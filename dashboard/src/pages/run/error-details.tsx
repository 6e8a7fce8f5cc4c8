import type { ReactNode } from "react";
import { stackOf } from "../../format/error-text.ts";
import { JsonViewer } from "../../parts/json/json-viewer.tsx";

/** The stack of an error, and all that was recorded of it. */
export function ErrorDetails({ error }: { error: unknown }): ReactNode {
  const stack = stackOf(error);
  return (
    <details>
      <summary>Details</summary>
      {stack === undefined ? null : <pre className="stack">{stack}</pre>}
      <JsonViewer label="Error" value={error} />
    </details>
  );
}
