/** Routes of one run exist twice: with the name of its workflow in the path, and without. */
import type { RunRecord, Transport } from "@oxbow/sdk/internal";
import { Type } from "typebox";
import { HttpProblem } from "../../http/problems.ts";
import type { Route } from "../../http/route.ts";
import { Id, WorkflowName } from "../../http/schemas.ts";

/** Parameters of the longer path; the shorter one has no name. */
const NamedRun = Type.Object({ name: Type.Optional(WorkflowName), run_id: Id });
// The same type to handlers, but a document may only describe parameters that the path has.
const BareRun = Type.Object({ run_id: Id }) as unknown as typeof NamedRun;

interface OneRun {
  readonly path: string;
  readonly params: typeof NamedRun;
  /** For operation ids: `cancelRun` and `cancelWorkflowRun`. */
  readonly noun: "Run" | "WorkflowRun";
}

const PATHS: readonly OneRun[] = [
  { path: "/v1/workflows/:name/runs/:run_id", params: NamedRun, noun: "WorkflowRun" },
  { path: "/v1/runs/:run_id", params: BareRun, noun: "Run" },
];

export const ofRun = (make: (run: OneRun) => Route): readonly Route[] => PATHS.map(make);

/**
 * Reads the run of a path.
 *
 * @throws HttpProblem 404 if there is no such run, or it belongs to another workflow.
 */
export async function findRun(
  transport: Pick<Transport, "runs">,
  { name, run_id: runId }: { readonly name?: string; readonly run_id: string },
): Promise<RunRecord> {
  const run = await transport.runs.get(runId);
  if (run !== undefined && (name === undefined || run.name === name)) return run;
  throw new HttpProblem(
    "RUN_NOT_FOUND",
    name === undefined ? `Run ${runId} doesn't exist.` : `Workflow "${name}" has no run ${runId}.`,
  );
}
