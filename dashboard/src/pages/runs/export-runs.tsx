import { type ReactNode, useState } from "react";
import { type Conditions, exportRuns } from "../../api/runs.ts";
import { messageOf } from "../../api/problem.ts";
import { download } from "../../parts/download.ts";
import { note } from "../../shell/notes.tsx";

/** Downloads the runs that match, with inputs and outputs. */
export function ExportRuns({ conditions }: { conditions: Conditions }): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      download(await exportRuns(conditions), "runs.ndjson");
    } catch (error) {
      note(`Can't export: ${messageOf(error)}`);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" disabled={isBusy} onClick={() => void save()}>
      {isBusy ? "Exporting…" : "Export"}
    </button>
  );
}
