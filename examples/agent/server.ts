/** The application: its page, the routes of the chat, and those of the desk. */
import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { type ChatInput, chatRoutes } from "@oxbow/ai";
import type { WorkflowClient } from "@oxbow/sdk";
import type { UIMessage } from "ai";
import { Hono } from "hono";
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { support } from "./support.ts";

export interface Application extends AsyncDisposable {
  readonly url: string;
}

/** @param page The folder of the built page. */
export async function startApplication(
  client: WorkflowClient,
  { page, port = 0 }: { readonly page: string; readonly port?: number },
): Promise<Application> {
  const server = serve({ fetch: toApp(client, page).fetch, hostname: "127.0.0.1", port }) as Server;
  if (!server.listening) await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      // Answers in progress would keep it open.
      if ("closeAllConnections" in server) (server.closeAllConnections as () => void)();
      await closed;
    },
  };
}

/** In a real shop, the chat is for the customer who is signed in, and the desk for employees. */
function toApp(client: WorkflowClient, page: string): Hono {
  const app = new Hono();
  const chat = chatRoutes(client, support);
  app.post("/api/chat", ({ req }) => chat.POST(req.raw));
  app.get("/api/chat/:id/stream", ({ req }) => chat.GET(req.raw));
  app.get("/api/chat/:id", async (c) => c.json(await messagesOf(client, c.req.param("id"))));
  app.get("/api/approvals", async (c) => {
    for await (const { approvals } of client.approvals.list({
      workflow: support.name,
      status: "waiting",
    })) {
      return c.json(approvals.map(({ id, title }) => ({ id, title })));
    }
    return c.json([]);
  });
  app.post("/api/approvals/:id", async (c) => {
    const { decision } = await c.req.json<{ decision: unknown }>();
    const verdict = decision === "approved" ? "approved" : "rejected";
    return c.json(await client.approvals.decide(c.req.param("id"), verdict, { actor: "desk" }));
  });
  app.use("/*", serveStatic({ root: page }));
  return app;
}

/** The messages of a chat: those before its last question, and the answer to it if that is complete. */
async function messagesOf(client: WorkflowClient, chatId: string): Promise<UIMessage[]> {
  const filter = { workflow: support, idempotencyKey: chatId };
  for await (const { runs } of client.runs.list(filter, { pageSize: 1, withValues: true })) {
    const [run] = runs;
    if (run === undefined) return [];
    const { messages } = run.input as ChatInput;
    return run.status === "completed" ? [...messages, run.output as UIMessage] : messages;
  }
  return [];
}
