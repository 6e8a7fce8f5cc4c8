import type { ReactNode } from "react";
import { type Conditions, exportRuns } from "../../api/runs.ts";
import { messageOf } from "../../api/problem.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { download } from "../../parts/download.ts";
import { note } from "../../shell/notes.tsx";

/** Downloads the runs that match, with inputs and outputs. */
export function ExportRuns({ conditions }: { conditions: Conditions }): ReactNode {
  const save = async (): Promise<void> => {
    try {
      download(await exportRuns(conditions), "runs.ndjson");
    } catch (error) {
      note(`Can't export: ${messageOf(error)}`);
    }
  };
  return (
    <BusyButton onPress={save} whileBusy="Exporting…">
      Export
    </BusyButton>
  );
}
