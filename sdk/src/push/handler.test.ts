import { afterEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import { workflow } from "../worker/serve.ts";
import { WebhookSignatures } from "../protocol/standard-webhook.ts";
import { createHandler, type Handler } from "./handler.ts";
import { toLambdaHandler } from "./lambda-handler.ts";
import { LARGEST_BODY } from "./push-function.ts";

const KEY = "k".repeat(32);
const OTHER = "o".repeat(32);
const URL_OF = "https://app.example.com/api/oxbow";

const greet = workflow({
  name: "greet",
  version: 2,
  retention: "3d",
  flowControl: { key: "tenant", concurrencyPerKey: 4, rateLimit: { limit: 10, per: "1m" } },
  run: (_ctx, name: string) => Promise.resolve(`Hello ${name}`),
});

const handler = createHandler({ workflows: [greet], signingKey: KEY, maxDuration: "10s" });

interface Signing {
  readonly method?: string;
  readonly key?: string;
  readonly id?: string;
  readonly agoMs?: number;
  readonly to?: Handler;
}

let requests = 0;

async function send(
  body: string,
  { method = "POST", key = KEY, id, agoMs = 0, to = handler }: Signing = {},
): Promise<{ status: number; headers: Headers; body: { readonly detail?: string } }> {
  requests += 1;
  const text = {
    id: id ?? `request-${requests}`,
    timestamp: String(Math.floor((Date.now() - agoMs) / 1_000)),
    body,
  };
  const response = await to.fetch(
    new Request(URL_OF, {
      method,
      body,
      headers: {
        "webhook-id": text.id,
        "webhook-timestamp": text.timestamp,
        "webhook-signature": await new WebhookSignatures([key]).sign(text),
      },
    }),
  );
  expect(response.headers.get("oxbow-protocol")).toBe("1");
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as { readonly detail?: string },
  };
}

const delivery = (name: string, version: number): string =>
  JSON.stringify({
    protocol: 1,
    ageMs: 1,
    leaseMs: 30_000,
    budgetMs: 10_000,
    sentAt: Date.now(),
    delivery: { runId: "1", receipt: "2", name, version, journal: [], continuation: {} },
    commit: { url: "http://127.0.0.1:1", token: "oxlease_x" },
  });

describe("a request that is not of the server is refused before its body is read", () => {
  it("without a signature", async () => {
    const response = await handler.POST(new Request(URL_OF, { method: "POST", body: "not json" }));
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      detail: expect.stringContaining("OXBOW_SIGNING_KEY"),
    });
  });

  it("signed by another key", async () => {
    const { status, body } = await send("not json", { key: OTHER });
    expect({ status, detail: body.detail }).toEqual({
      status: 401,
      detail:
        "The signature is not of a key that this handler has. Set OXBOW_SIGNING_KEY to the same key, here and on the server.",
    });
  });

  it.each([-360_000, 360_000])("signed %d ms ago, with the time of the handler", async (agoMs) => {
    const { status, headers } = await send("not json", { agoMs });
    expect(status).toBe(401);
    expect(Math.abs(Number(headers.get("oxbow-clock")) - Date.now())).toBeLessThan(60_000);
  });

  it("received before", async () => {
    expect((await send("{}", { method: "PUT", id: "same" })).status).toBe(200);
    const { status, body } = await send("{}", { method: "PUT", id: "same" });
    expect({ status, detail: body.detail }).toEqual({
      status: 401,
      detail: "The request was received before.",
    });
  });

  it("without a key, unless it is for this machine", async () => {
    const open = createHandler({ workflows: [greet] });
    const put = (url: string): Promise<Response> =>
      open.fetch(new Request(url, { method: "PUT", body: "{}" }));
    expect((await put(URL_OF)).status).toBe(401);
    expect((await put("http://localhost:3000/api/oxbow")).status).toBe(200);
    expect((await put("http://127.0.0.1:3000/api/oxbow")).status).toBe(200);
    expect((await put("http://localhost.evil.example/")).status).toBe(401);
  });
});

describe("the body of a delivery", () => {
  it.each(["not json", "null", "[]", '{"protocol":1}', '{"protocol":1,"delivery":null}'])(
    "%s is refused",
    async (body) => {
      const answer = await send(body);
      expect([400, 426]).toContain(answer.status);
    },
  );

  it("of another protocol is refused with the one that is spoken", async () => {
    const { status, body } = await send('{"protocol":2}');
    expect({ status, detail: body.detail }).toEqual({
      status: 426,
      detail:
        "This handler speaks protocol 1, not 2: deploy it with the SDK of the server's version.",
    });
  });

  it.each([
    ["greet", 1],
    ["other", 2],
  ])("of %s version %d, which is not served, is refused with what is", async (name, version) => {
    const { status, body } = await send(delivery(name, version));
    expect(status).toBe(409);
    expect(body.detail).toBe(
      `Workflow "${name}" version ${version} is not served here; there are greet v2.`,
    );
  });

  it("over the limit is refused", async () => {
    const { status } = await send("x".repeat(LARGEST_BODY + 1));
    expect(status).toBe(413);
  });
});

it("PUT returns the workflows, with the defaults of runs", async () => {
  const { status, body } = await send("{}", { method: "PUT" });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    protocol: 1,
    maxDurationMs: 10_000,
    workflows: [
      {
        name: "greet",
        version: 2,
        retentionDays: 3,
        // As workers set it.
        flowControl: {
          key: "tenant",
          concurrency_per_key: 4,
          rate_limit: { limit: 10, per_seconds: 60 },
        },
      },
    ],
  });
});

it("PUT lifts flow control that a workflow removes, and keeps that of one without", async () => {
  const run = (): Promise<void> => Promise.resolve();
  const free = createHandler({
    workflows: [
      workflow({ name: "lifted", flowControl: null, run }),
      workflow({ name: "kept", run }),
    ],
  });
  const answer = await free.fetch(
    new Request("http://localhost:3000/api/oxbow", { method: "PUT", body: "{}" }),
  );
  const { workflows } = (await answer.json()) as { workflows: object[] };
  expect(workflows).toEqual([
    expect.objectContaining({ name: "lifted", flowControl: {} }),
    expect.not.objectContaining({ flowControl: expect.anything() as unknown }),
  ]);
});

it("GET shows people how to go on, and no workflow", async () => {
  const response = await handler.GET({ request: new Request(URL_OF) });
  const page = await response.text();
  expect(response.status).toBe(200);
  expect(page).toContain("oxbow endpoints add");
  expect(page).not.toContain("greet");
});

it("other methods are refused", async () => {
  const response = await handler.fetch(new Request(URL_OF, { method: "DELETE" }));
  expect(response.status).toBe(405);
});

it("each of several keys is accepted while they are rotated", async () => {
  const both = createHandler({ workflows: [greet], signingKey: [KEY, OTHER] });
  for (const key of [KEY, OTHER]) {
    expect((await send("{}", { method: "PUT", key, to: both })).status).toBe(200);
  }
});

it.each([true, false])("an event of Lambda over the limit is refused (base64: %s)", async (is) => {
  const answer = await toLambdaHandler(handler)({
    isBase64Encoded: is,
    body: "eHh4".repeat(LARGEST_BODY / 3 + 1),
    requestContext: { http: { method: "POST" } },
  });
  expect(answer.statusCode).toBe(413);
});

it("an event of Lambda is answered, also with a body in base64", async () => {
  const lambda = toLambdaHandler(handler);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = await new WebhookSignatures([KEY]).sign({
    id: "lambda",
    timestamp,
    body: "{}",
  });
  const answer = await lambda({
    rawPath: "/oxbow",
    isBase64Encoded: true,
    body: btoa("{}"),
    headers: {
      "webhook-id": "lambda",
      "webhook-timestamp": timestamp,
      "webhook-signature": signature,
    },
    requestContext: { domainName: "x.lambda-url.eu-central-1.on.aws", http: { method: "PUT" } },
  });
  expect(answer).toMatchObject({ statusCode: 200, headers: { "oxbow-protocol": "1" } });
  expect(JSON.parse(answer.body)).toMatchObject({ protocol: 1 });
});

it("its methods have the types that routes of Next.js, SvelteKit and Astro have", () => {
  // As `next build` reads the types of a route.
  type FirstArgument<Method> = Method extends (...args: [infer First, never]) => unknown
    ? First
    : never;
  expectTypeOf<FirstArgument<Handler["GET"]>>().toEqualTypeOf<Request>();
  expectTypeOf<FirstArgument<Handler["POST"]>>().toEqualTypeOf<Request>();
  interface Event {
    readonly request: Request;
    readonly params: Record<string, string>;
  }
  expectTypeOf<Handler["PUT"]>().toExtend<(event: Event) => Response | Promise<Response>>();
});

describe("a handler is refused at its start", () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each(["1s", "13h", "0s"])("with a maxDuration of %s", (maxDuration) => {
    expect(() => createHandler({ workflows: [greet], maxDuration })).toThrow(
      `Invalid maxDuration "${maxDuration}": give 2 seconds to 12 hours`,
    );
  });

  it.each(["NODE_ENV", "VERCEL", "AWS_LAMBDA_FUNCTION_NAME"])(
    "without a key where %s shows that it is public",
    (variable) => {
      vi.stubEnv(variable, "production");
      expect(() => createHandler({ workflows: [greet] })).toThrow("set OXBOW_SIGNING_KEY");
      vi.stubEnv("OXBOW_SIGNING_KEY", KEY);
      expect(() => createHandler({ workflows: [greet] })).not.toThrow();
    },
  );

  it("without a key, except by `next build`, whose handler answers no one", async () => {
    vi.stubEnv("NODE_ENV", "production");
    vi.stubEnv("NEXT_PHASE", "phase-production-build");
    const built = createHandler({ workflows: [greet] });
    const request = new Request("http://localhost/api/oxbow", { method: "PUT" });
    expect((await built.fetch(request)).status).toBe(401);
    expect((await send("{}", { method: "PUT", to: built })).status).toBe(401);
  });

  it("with a key that could be guessed", () => {
    expect(() => createHandler({ workflows: [greet], signingKey: "short" })).toThrow(
      "Key 1 for endpoints has 5 characters",
    );
  });

  it("with the url of a server, and with an option that it doesn't know", () => {
    expect(() => createHandler({ workflows: [greet], url: "https://oxbow.example.com" })).toThrow(
      "give postgres://…, or leave it out to commit through the server",
    );
    expect(() => createHandler({ workflows: [greet], maxduration: "5s" } as never)).toThrow(
      "Did you mean maxDuration?",
    );
  });

  it("without workflows", () => {
    expect(() => createHandler({ workflows: [] })).toThrow("at least one workflow");
  });
});
