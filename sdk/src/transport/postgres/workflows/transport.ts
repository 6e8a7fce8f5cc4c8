/** Registered versions of workflows, straight to the database. */
import type {
  RegisteredVersion,
  Registration,
  WorkflowTally,
  WorkflowTransport,
} from "../../../protocol/workflows.ts";
import type { Pool } from "../connection/pool.ts";
import { workflowRegister, workflowTally, workflowUnregister, workflowVersions } from "./calls.ts";
import { type VersionRow, registrationArguments, toRegisteredVersion } from "./rows.ts";

export class PostgresWorkflowTransport implements WorkflowTransport {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async register(registrations: readonly Registration[]): Promise<number> {
    const values = registrationArguments(registrations);
    const row = await this.#pool.queryOne<{ changed: number }>(workflowRegister, values, {
      repeatable: true,
    });
    return row.changed;
  }

  async unregister(workflow: string, version: number): Promise<boolean> {
    const row = await this.#pool.queryOne<{ unregistered: boolean }>(workflowUnregister, [
      workflow,
      version,
    ]);
    return row.unregistered;
  }

  async versions(workflow: string): Promise<RegisteredVersion[]> {
    return (await this.#pool.query<VersionRow>(workflowVersions, [workflow])).map(
      toRegisteredVersion,
    );
  }

  tally(): Promise<WorkflowTally[]> {
    return this.#pool.query<WorkflowTally>(workflowTally, []);
  }
}
