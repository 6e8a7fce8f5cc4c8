/** Sign-ups on Cloudflare Workers: the same function starts runs, executes them when a server pushes them, and reports them. */
import { createWorkflowClient, RunNotFound, type WorkflowClient } from "@oxbow/sdk";
import { createHandler } from "@oxbow/sdk/http";
import { Hono } from "hono";
import { onboardUser } from "./onboard-user.ts";

interface Environment {
  readonly Bindings: {
    /** The server that pushes runs here. */
    readonly OXBOW_URL: string;
    /** With the scopes `read` and `produce`. */
    readonly OXBOW_TOKEN: string;
  };
}

// Its key is the secret OXBOW_SIGNING_KEY, which `nodejs_compat` shows as a variable of the environment.
const handler = createHandler({ workflows: [onboardUser], maxDuration: "30s" });

const app = new Hono<Environment>();

app.post("/signup", async (context) => {
  const { email } = await context.req.parseBody();
  if (typeof email !== "string") return context.json({ error: "Send the field email." }, 400);
  await using client = connect(context.env);
  // A form that is sent twice starts one run.
  const run = await client.start(onboardUser, { email }, { idempotencyKey: email });
  return context.json({ runId: run.runId }, 202);
});

app.get("/runs/:id", async (context) => {
  await using client = connect(context.env);
  try {
    const { status } = await client.runs.get(onboardUser.name, context.req.param("id"));
    return context.json({ status });
  } catch (error) {
    if (error instanceof RunNotFound) return context.json({ error: error.message }, 404);
    throw error;
  }
});

app.all("/api/oxbow", (context) => handler.fetch(context.req.raw));

// oxlint-disable-next-line import/no-default-export -- Cloudflare looks for it
export default { fetch: app.fetch };

/** For one request: Cloudflare doesn't let requests share connections. */
const connect = ({ OXBOW_URL, OXBOW_TOKEN }: Environment["Bindings"]): WorkflowClient =>
  createWorkflowClient({ url: OXBOW_URL, token: OXBOW_TOKEN });
