/** Registered versions of workflows, through the server. */
import type { ServerRequests } from "../../protocol/rooms.ts";
import type {
  RegisteredVersion,
  WorkerEntry,
  WorkflowTransport,
} from "../../protocol/workflows.ts";
import { askingFor } from "./requests.ts";
import { type Shown, toDates } from "./shown.ts";

export function workflowsOverHttp(server: ServerRequests): WorkflowTransport {
  const askFor = askingFor(server);
  return {
    register: (versions) =>
      askFor("changed", "/v1/worker/versions", {
        method: "PUT",
        body: JSON.stringify({ versions }),
        // The same again changes nothing.
        isRead: true,
      }),

    unregister: (workflow, version) =>
      askFor("unregistered", `${versionsOf(workflow)}/${version}`, { method: "DELETE" }),

    versions: async (workflow) => {
      const versions = await askFor<Shown<RegisteredVersion>[]>("versions", versionsOf(workflow));
      return versions.map((one) => ({
        ...one,
        registeredAt: new Date(one.registeredAt),
        // An older server doesn't know it.
        inputSchema: one.inputSchema ?? null,
      }));
    },

    tools: () => askFor("tools", "/v1/workflow-tools"),

    tally: () => askFor("workflows", "/v1/workflows"),

    reportWorker: async ({ workerId, ...report }) => {
      const body = JSON.stringify(report);
      await server.ask(presenceOf(workerId), { method: "PUT", body, repeatable: true });
    },

    removeWorker: async (workerId) => {
      await server.ask(presenceOf(workerId), { method: "DELETE", repeatable: true });
    },

    workers: async () => {
      const workers = await askFor<Shown<WorkerEntry>[]>("workers", "/v1/workers");
      return workers.map((one) => toDates<WorkerEntry>(one, ["startedAt", "lastSeenAt"]));
    },
  };
}

const versionsOf = (workflow: string): string =>
  `/v1/workflows/${encodeURIComponent(workflow)}/versions`;

const presenceOf = (workerId: string): string =>
  `/v1/worker/presence/${encodeURIComponent(workerId)}`;
