import type { ReactNode } from "react";
import { type Conditions, exportRuns } from "../../api/runs.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { download } from "../../parts/download.ts";
import { attempt } from "../../shell/notes.tsx";

/** Downloads the runs that match, with inputs and outputs. */
export function ExportRuns({ conditions }: { conditions: Conditions }): ReactNode {
  const save = (): Promise<void> =>
    attempt("export", async () => download(await exportRuns(conditions), "runs.ndjson"));
  return (
    <BusyButton onPress={save} whileBusy="Exporting…">
      Export
    </BusyButton>
  );
}
