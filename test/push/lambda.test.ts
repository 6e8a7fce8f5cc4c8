/** examples/lambda, called with events as a function url sends them: payload format 2.0, also with a body in base64. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { listen, registerEndpoint, SIGNING_KEY, type TestFunction } from "../helpers/endpoints.ts";
import { eventually } from "../helpers/eventually.ts";
import { startTestServer } from "../helpers/server.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";

type Example = typeof import("../../examples/lambda/handler.ts");

let bench: WorkflowBench;
let example: Example;
let made: TestFunction;
let isBase64Encoded = false;

beforeAll(async () => {
  vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", "invoices");
  vi.stubEnv("OXBOW_SIGNING_KEY", SIGNING_KEY);
  example = await import("../../examples/lambda/handler.ts");
  bench = await setupWorkflows();
  await startTestServer(bench.database, { signingKeys: [SIGNING_KEY] });
  made = await listen((request, response) => void invoke(request, response));
  await registerEndpoint(bench.database, made.url);
});

afterAll(() => vi.unstubAllEnvs());

/** What a function url makes of a request. */
async function toEvent(request: IncomingMessage) {
  const body = await text(request);
  const { host = "", ...headers } = request.headers;
  const { method = "", url = "/" } = request;
  const [rawPath = "/", rawQueryString = ""] = url.split("?");
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString,
    headers: { ...headers, host, "x-forwarded-proto": "https", "x-forwarded-port": "443" },
    requestContext: {
      accountId: "anonymous",
      apiId: "abcdefgh",
      domainName: "abcdefgh.lambda-url.eu-central-1.on.aws",
      domainPrefix: "abcdefgh",
      http: {
        method,
        path: rawPath,
        protocol: "HTTP/1.1",
        sourceIp: "203.0.113.7",
        userAgent: String(headers["user-agent"]),
      },
      requestId: "e1506fd5-9e7b-434f-bd42-4f8fa224b599",
      routeKey: "$default",
      stage: "$default",
      time: "28/Nov/2026:08:00:00 +0000",
      timeEpoch: 1_795_852_800_000,
    },
    ...(body === "" ? {} : { body: isBase64Encoded ? Buffer.from(body).toString("base64") : body }),
    isBase64Encoded,
  };
}

/** Lambda passes events and answers on as JSON. */
const asJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

async function invoke(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const event = asJson(await toEvent(request));
  const { statusCode, headers, body } = asJson(await example.handler(event as never));
  response.writeHead(statusCode, headers).end(body);
  await once(response, "close");
}

it.each([
  ["as text", false],
  ["in base64", true],
])("executes a run around its wait, with bodies %s", async (_, isEncoded) => {
  isBase64Encoded = isEncoded;
  const { POST: before = 0 } = made.requests;
  const run = await bench.client.start(example.collectInvoice, { invoiceId: "Nº 17 – 5 €" });
  await eventually(() => bench.client.runs.get("collect-invoice", run.runId), {
    activity: "waiting",
  });
  await bench.client.signal(run.runId, "paid", { by: "card" });
  expect(await run.result()).toBe("paid");
  expect(made.requests).toEqual({ PUT: 1, POST: before + 2 });
  const steps = await bench.client.runs.steps(run.runId);
  expect(steps.map(({ name, output }) => [name, output])).toEqual([
    ["send-invoice", "mail with invoice Nº 17 – 5 €"],
    ["paid", { by: "card" }],
    ["send-receipt", "receipt for invoice Nº 17 – 5 €"],
  ]);
  expect(await bench.violations()).toEqual([]);
});

it("shows people a page, whose event has no body", async () => {
  const { status, headers } = await fetch(made.url);
  expect({ status, type: headers.get("content-type") }).toEqual({
    status: 200,
    type: "text/html; charset=utf-8",
  });
});
