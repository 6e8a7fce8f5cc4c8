/** Registered versions of workflows, straight to the database. */
import {
  type RegisteredVersion,
  type Registration,
  TOOL_KEYWORD,
  type WorkerEntry,
  type WorkerReport,
  type WorkflowTally,
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

export class PostgresWorkflowTransport implements WorkflowTransport {
  readonly #queries: Queries;
  readonly #reads: Queries;

  constructor(queries: Queries, reads: Queries) {
    this.#queries = queries;
    this.#reads = reads;
  }

  register(registrations: readonly Registration[]): Promise<number> {
    return this.#queries.value(
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
    );
  }

  unregister(workflow: string, version: number): Promise<boolean> {
    return this.#queries.value(workflowUnregister, [workflow, version]);
  }

  versions(workflow: string): Promise<RegisteredVersion[]> {
    return this.#queries.query(workflowVersions, [workflow]);
  }

  async tools(): Promise<WorkflowTool[]> {
    const rows = await this.#reads.query(workflowTools, []);
    return rows.flatMap((row) => toTool(row) ?? []);
  }

  tally(): Promise<WorkflowTally[]> {
    return this.#reads.query(workflowTally, []);
  }

  async reportWorker(report: WorkerReport): Promise<void> {
    const { workerId, host, processId, sdkVersion, serves, slots, busySlots } = report;
    // Not repeated, as the next report does: a worker that stops must not wait for a database that is away.
    await this.#queries.value(workflowReportWorker, [
      workerId,
      host,
      processId,
      sdkVersion,
      JSON.stringify(serves),
      slots,
      busySlots,
    ]);
  }

  async removeWorker(workerId: string): Promise<void> {
    await this.#queries.value(workflowRemoveWorker, [workerId]);
  }

  workers(): Promise<WorkerEntry[]> {
    return this.#reads.query(workflowWorkers, []);
  }
}

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
