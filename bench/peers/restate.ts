import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  handlers,
  RestatePromise,
  serve,
  workflow,
  type WorkflowContext,
} from "@restatedev/restate-sdk";
import { connect } from "@restatedev/restate-sdk-clients";
import { clock } from "../measure/clock.ts";
import type { Body, BodyInput, System } from "../systems/system.ts";

/** Its introspection reads all invocations: asked seldom, so that asking costs little. */
const PAUSE_MS = 250;

interface Address {
  readonly ingress: string;
  readonly admin: string;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

const program = (): string =>
  createRequire(import.meta.url).resolve(
    `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
  );

async function startServer(): Promise<Address> {
  const [ingress, admin, node] = [await freePort(), await freePort(), await freePort()];
  spawn(program(), ["--no-logo", "--listen-mode=tcp", "--node-name=bench"], {
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      // Removed by the process that started this measurement; on the same disk as the databases of the others.
      RESTATE_BASE_DIR: process.env["BENCH_SCRATCH"] ?? "",
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_LOG_FILTER: "error",
      RESTATE_DISABLE_TELEMETRY: "true",
    },
  });
  const address = { ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` };
  await healthy(`${address.admin}/health`);
  await healthy(`${address.ingress}/restate/health`);
  return address;
}

/** If it never is, the time limit of the measurement ends this. */
async function healthy(url: string): Promise<void> {
  for (;;) {
    const isHealthy = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (isHealthy) return;
    await sleep(50);
  }
}

async function post(url: string, body: unknown): Promise<unknown> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

type Run = (ctx: WorkflowContext, input: BodyInput) => Promise<unknown>;

const bodies: Record<Exclude<Body, "waiter">, Run> = {
  "one-step": (ctx) => ctx.run("only", () => 1),
  "in-sequence": async (ctx, { steps = 0 }) => {
    const began = await ctx.run("began", clock);
    for (let n = 0; n < steps; n += 1) await ctx.run(`s${n}`, () => n);
    return clock() - began;
  },
  "in-parallel": async (ctx, { steps = 0 }) => {
    const began = await ctx.run("began", clock);
    await RestatePromise.all(Array.from({ length: steps }, (_, n) => ctx.run(`s${n}`, () => n)));
    return clock() - began;
  },
  sleeper: async (ctx, { ms = 0 }) => {
    const before = await ctx.run("before", () => Date.now());
    await ctx.sleep(ms);
    return Date.now() - before - ms;
  },
};

const waiter = workflow({
  name: "waiter",
  handlers: {
    run: async (ctx: WorkflowContext) => ctx.promise<number>("go"),
    go: handlers.workflow.shared(async (ctx) => ctx.promise<number>("go").resolve(1)),
  },
});

const simple = (name: string, run: Run) => workflow({ name, handlers: { run } });

let started = 0;

export const system: System = {
  install: async () => JSON.stringify(await startServer()),
  workflows: {
    connect: (text) => {
      const { ingress, admin } = JSON.parse(text) as Address;
      const client = connect({ url: ingress });
      return Promise.resolve({
        start: async (body, input) => {
          started += 1;
          const key = `run-${started}`;
          if (body === "waiter") {
            const run = client.workflowClient<typeof waiter>({ name: "waiter" }, key);
            await run.workflowSubmit();
            return { result: () => run.workflowAttach(), signal: () => Promise.resolve(run.go()) };
          }
          const run = client.workflowClient<ReturnType<typeof simple>>({ name: body }, key);
          await run.workflowSubmit(input);
          return {
            result: () => run.workflowAttach(),
            signal: () => Promise.reject(new Error("No run waits.")),
          };
        },
        allEnded: async () => {
          const query =
            "select 1 as n from sys_invocation_status where status <> 'completed' limit 1";
          for (;;) {
            const { rows } = (await post(`${admin}/query`, { query })) as { rows: unknown[] };
            if (rows.length === 0) return;
            await sleep(PAUSE_MS);
          }
        },
        close: () => Promise.resolve(),
      });
    },
    serve: async (text) => {
      const { admin } = JSON.parse(text) as Address;
      const services = [waiter, ...Object.entries(bodies).map(([name, run]) => simple(name, run))];
      const port = await serve({ services, port: await freePort() });
      await post(`${admin}/deployments`, { uri: `http://127.0.0.1:${port}` });
      return () => Promise.resolve();
    },
  },
};
