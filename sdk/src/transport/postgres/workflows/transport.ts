/** Registered versions of workflows, straight to the database. */
import {
  type RegisteredVersion,
  TOOL_KEYWORD,
  type WorkflowTool,
  type WorkflowTransport,
} from "../../../protocol/workflows.ts";
import { toSeconds } from "../connection/arguments.ts";
import type { Queries } from "../connection/queries.ts";
import {
  workflowRegister,
  workflowRemoveWorker,
  workflowReportWorker,
  workflowTally,
  workflowTools,
  workflowUnregister,
  workflowVersions,
  workflowWorkers,
} from "./functions.ts";

export const workflowsOverPostgres = (queries: Queries, reads: Queries): WorkflowTransport => ({
  register: (registrations) =>
    queries.value(
      workflowRegister,
      [
        registrations.map(({ name }) => name),
        registrations.map(({ version }) => version),
        registrations.map(({ retentionDays }) => retentionDays ?? null),
        registrations.map(({ deadlineMs }) => toSeconds(deadlineMs)),
        registrations.map(({ onFailure }) => onFailure ?? null),
        registrations.map(({ inputSchema }) =>
          inputSchema === undefined ? null : JSON.stringify(inputSchema),
        ),
      ],
      { repeatable: true },
    ),

  unregister: (workflow, version) => queries.value(workflowUnregister, [workflow, version]),

  versions: (workflow) => queries.query(workflowVersions, [workflow]),

  tools: async () => {
    const rows = await reads.query(workflowTools, []);
    return rows.flatMap((row) => toTool(row) ?? []);
  },

  tally: () => reads.query(workflowTally, []),

  // Not repeated, as the next report does: a worker that stops must not wait for a database that is away.
  reportWorker: async ({ workerId, host, processId, sdkVersion, serves, slots, busySlots }) => {
    await queries.value(workflowReportWorker, [
      workerId,
      host,
      processId,
      sdkVersion,
      JSON.stringify(serves),
      slots,
      busySlots,
    ]);
  },

  removeWorker: async (workerId) => {
    await queries.value(workflowRemoveWorker, [workerId]);
  },

  workers: () => reads.query(workflowWorkers, []),
});

/** Undefined if the member is not at the top of the schema. */
function toTool({
  workflow,
  version,
  inputSchema,
}: Pick<RegisteredVersion, "workflow" | "version" | "inputSchema">): WorkflowTool | undefined {
  const { [TOOL_KEYWORD]: tool, ...schema } = inputSchema ?? {};
  if (typeof tool !== "object" || tool === null) return undefined;
  const { description, definition } = tool as Readonly<Record<string, unknown>>;
  return {
    workflow,
    version,
    description: typeof description === "string" ? description : null,
    inputSchema: schema,
    isDefinition: definition === true,
  };
}
