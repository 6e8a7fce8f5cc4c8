/** Registered versions of workflows, straight to the database. */
import type {
  RegisteredVersion,
  Registration,
  WorkflowTally,
  WorkflowTransport,
} from "../../../protocol/workflows.ts";
import { toSeconds } from "../connection/arguments.ts";
import type { Pool } from "../connection/pool.ts";
import {
  workflowRegister,
  workflowTally,
  workflowUnregister,
  workflowVersions,
} from "./functions.ts";

export class PostgresWorkflowTransport implements WorkflowTransport {
  readonly #pool: Pool;
  readonly #reads: Pool;

  constructor(pool: Pool, reads: Pool) {
    this.#pool = pool;
    this.#reads = reads;
  }

  register(registrations: readonly Registration[]): Promise<number> {
    return this.#pool.value(
      workflowRegister,
      [
        registrations.map(({ name }) => name),
        registrations.map(({ version }) => version),
        registrations.map(({ retentionDays }) => retentionDays ?? null),
        registrations.map(({ deadlineMs }) => toSeconds(deadlineMs)),
        registrations.map(({ onFailure }) => onFailure ?? null),
      ],
      { repeatable: true },
    );
  }

  unregister(workflow: string, version: number): Promise<boolean> {
    return this.#pool.value(workflowUnregister, [workflow, version]);
  }

  versions(workflow: string): Promise<RegisteredVersion[]> {
    return this.#pool.query(workflowVersions, [workflow]);
  }

  tally(): Promise<WorkflowTally[]> {
    return this.#reads.query(workflowTally, []);
  }
}
