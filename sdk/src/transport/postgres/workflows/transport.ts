/** Registered versions of workflows, straight to the database. */
import type {
  RegisteredVersion,
  Registration,
  WorkerEntry,
  WorkerReport,
  WorkflowTally,
  WorkflowTransport,
} from "../../../protocol/workflows.ts";
import { toSeconds } from "../connection/arguments.ts";
import type { Queries } from "../connection/queries.ts";
import {
  workflowRegister,
  workflowRemoveWorker,
  workflowReportWorker,
  workflowTally,
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
