/** Registered versions of workflows, through the server. */
import type {
  RegisteredVersion,
  Registration,
  WorkerEntry,
  WorkerReport,
  WorkflowTally,
  WorkflowTool,
  WorkflowTransport,
} from "../../protocol/workflows.ts";
import type { HttpConnection } from "./connection.ts";
import { type Shown, toDates } from "./shown.ts";

export class HttpWorkflowTransport implements WorkflowTransport {
  readonly #connection: HttpConnection;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  async register(registrations: readonly Registration[]): Promise<number> {
    const { changed } = await this.#connection.ask<{ changed: number }>("/v1/worker/versions", {
      method: "PUT",
      body: JSON.stringify({ versions: registrations }),
      // The same again changes nothing.
      isRead: true,
    });
    return changed;
  }

  async unregister(workflow: string, version: number): Promise<boolean> {
    const { unregistered } = await this.#connection.ask<{ unregistered: boolean }>(
      `/v1/workflows/${enc(workflow)}/versions/${version}`,
      { method: "DELETE" },
    );
    return unregistered;
  }

  async versions(workflow: string): Promise<RegisteredVersion[]> {
    const { versions } = await this.#connection.get<{ versions: Shown<RegisteredVersion>[] }>(
      `/v1/workflows/${enc(workflow)}/versions`,
    );
    return versions.map((one) => ({
      ...one,
      registeredAt: new Date(one.registeredAt),
      // An older server doesn't know it.
      inputSchema: one.inputSchema ?? null,
    }));
  }

  async tools(): Promise<WorkflowTool[]> {
    const { tools } = await this.#connection.get<{ tools: WorkflowTool[] }>("/v1/workflow-tools");
    return tools;
  }

  async tally(): Promise<WorkflowTally[]> {
    const { workflows } = await this.#connection.get<{ workflows: WorkflowTally[] }>(
      "/v1/workflows",
    );
    return workflows;
  }

  async reportWorker({ workerId, ...report }: WorkerReport): Promise<void> {
    await this.#connection.ask(`/v1/worker/presence/${enc(workerId)}`, {
      method: "PUT",
      body: JSON.stringify(report),
      repeatable: true,
    });
  }

  async removeWorker(workerId: string): Promise<void> {
    await this.#connection.ask(`/v1/worker/presence/${enc(workerId)}`, {
      method: "DELETE",
      repeatable: true,
    });
  }

  async workers(): Promise<WorkerEntry[]> {
    const { workers } = await this.#connection.get<{ workers: Shown<WorkerEntry>[] }>(
      "/v1/workers",
    );
    return workers.map((one) => toDates<WorkerEntry>(one, ["startedAt", "lastSeenAt"]));
  }
}

const enc = encodeURIComponent;
