/** Routes of one run exist twice: with the name of its workflow in the path, and without. */
import type {
  RunRecord,
  SignalledRunOf,
  SignalRequest,
  Transport,
} from "@oxbow/sdk/internal/server";
import { type TObject, Type } from "typebox";
import { HttpProblem } from "../../http/problems.ts";
import { type Route, route, type RouteDefinition } from "../../http/route.ts";
import { Id, WorkflowName } from "../../http/schemas.ts";

/** Parameters of the longer path. The shorter one has no name. */
export const NamedRun = Type.Object({ name: Type.Optional(WorkflowName), run_id: Id });

/**
 * A route of one run, at both paths; the operation of the longer one is named `cancelWorkflowRun` for `cancelRun`. Run
 * tokens open only the shorter one: they know no name.
 *
 * @param definition Its path follows that of the run. Default of its parameters: those of the run.
 */
export function routeOfRun<
  const Params extends TObject = typeof NamedRun,
  const Query = unknown,
  const Headers = unknown,
  const Body = unknown,
  const Response = unknown,
>(definition: RouteDefinition<Params, Query, Headers, Body, Response>): Route {
  const { path, params = NamedRun, runAccess, ...rest } = definition;
  const { name: _name, ...bareParams } = params.properties;
  const named = route({
    ...rest,
    path: `/v1/workflows/:name/runs/:run_id${path}`,
    params: params as Params,
  });
  // The same type to handlers, but a document may only describe parameters that the path has.
  const bare = route({
    ...rest,
    path: `/v1/runs/:run_id${path}`,
    params: Type.Object(bareParams) as unknown as Params,
    runAccess,
  });
  return {
    addTo: (app, context, name, tag) => {
      named.addTo(app, context, name.replace("Run", "WorkflowRun"), tag);
      bare.addTo(app, context, name, tag);
    },
  };
}

type Path = { readonly name?: string; readonly run_id: string };

/**
 * Reads the run of a path.
 *
 * @throws HttpProblem 404 if there is no such run, or it belongs to another workflow.
 */
export async function findRun({ runs }: Pick<Transport, "runs">, path: Path): Promise<RunRecord> {
  const run = await runs.get(path.run_id);
  if (run !== undefined && isOf(run.name, path)) return run;
  throw runNotFound(path);
}

/**
 * Finds the workflow of the run of a path, without reading the run's input and output.
 *
 * @throws HttpProblem 404 if there is no such run, or it belongs to another workflow.
 */
export async function findWorkflow({ runs }: Pick<Transport, "runs">, path: Path): Promise<string> {
  const workflow = await runs.workflowOf(path.run_id);
  if (workflow !== undefined && isOf(workflow, path)) return workflow;
  throw runNotFound(path);
}

/**
 * Signals the run of a path.
 *
 * @throws HttpProblem 404 if there is no such run, or it belongs to another workflow.
 */
export async function signalFound(
  { runs }: Pick<Transport, "runs">,
  path: Path,
  signal: SignalRequest,
): Promise<SignalledRunOf> {
  const signalled = await runs.signalOf(path.name, path.run_id, signal);
  if (signalled !== undefined) return signalled;
  throw runNotFound(path);
}

/**
 * Checks that the run of a path belongs to its workflow, before a call that itself rejects runs that don't exist.
 *
 * @throws HttpProblem 404 if the run belongs to another workflow.
 */
export async function checkWorkflow(transport: Pick<Transport, "runs">, path: Path): Promise<void> {
  if (path.name !== undefined) await findWorkflow(transport, path);
}

const isOf = (workflow: string, { name }: Path): boolean => name === undefined || name === workflow;

export const runNotFound = ({ name, run_id: runId }: Path): HttpProblem =>
  new HttpProblem(
    "RUN_NOT_FOUND",
    name === undefined ? `Run ${runId} doesn't exist.` : `Workflow "${name}" has no run ${runId}.`,
  );
