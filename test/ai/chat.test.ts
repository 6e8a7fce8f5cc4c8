/** Chats of the AI SDK over the routes of an application, with runs behind them. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChatInput, type ChatRoutes, chatRoutes } from "@oxbow/ai";
import { type EventSchemas, type ServableWorkflow, workflow } from "@oxbow/sdk/runtime";
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { eventually, including } from "../helpers/eventually.ts";
import { Latch } from "../helpers/latch.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";
import { setupWorkflows } from "../helpers/workflows.ts";
import { traveller } from "./traveller.ts";

const folder = mkdtempSync(join(tmpdir(), "oxbow-chat-"));

const bench = await setupWorkflows();
await bench.database.query("create table public.booking (run text, city text)");

const messages: UIMessage[] = [{ id: "q", role: "user", parts: [{ type: "text", text: "Oslo?" }] }];

/** A page: the transport of `useChat`, whose requests reach the routes without a network. */
class Page {
  readonly #transport: DefaultChatTransport<UIMessage>;
  readonly #chatId: string;
  /** The message that it shows. */
  message: UIMessage | undefined;
  readonly chunks: UIMessageChunk[] = [];

  constructor({ GET, POST }: ChatRoutes, chatId: string) {
    this.#chatId = chatId;
    this.#transport = new DefaultChatTransport({
      api: "https://app.example.com/api/chat",
      fetch: (url, init) => {
        const request = new Request(url, init);
        return request.method === "POST" ? POST(request) : GET(request);
      },
    });
  }

  async ask(): Promise<void> {
    const stream = await this.#transport.sendMessages({
      chatId: this.#chatId,
      messages,
      abortSignal: undefined,
      trigger: "submit-message",
      messageId: undefined,
    });
    await this.#show(stream);
  }

  /** Returns false if there is no answer in progress. */
  async resume(): Promise<boolean> {
    const stream = await this.#transport.reconnectToStream({ chatId: this.#chatId });
    if (stream === null) return false;
    await this.#show(stream);
    return true;
  }

  async #show(stream: ReadableStream<UIMessageChunk>): Promise<void> {
    const [one, other] = stream.tee();
    const noting = (async () => {
      for await (const chunk of one) this.chunks.push(chunk);
    })();
    for await (const message of readUIMessageStream({ stream: other })) this.message = message;
    await noting;
  }
}

const startWorker = (name: string, letter: string, last: string): WorkerProcess =>
  startWorkerProcess(new URL("programs/traveller-worker.ts", import.meta.url), {
    args: [JSON.stringify(bench.connection), name, join(folder, name), letter, last],
  });

/** Answers when the test lets it. */
function held(name: string): {
  readonly definition: ServableWorkflow<{ messages: UIMessage[] }, void, EventSchemas>;
  readonly release: () => void;
} {
  const released = new Latch();
  const definition = workflow({
    name,
    run: async (ctx, given: { messages: UIMessage[] }) => {
      ctx.stream.write({ type: "start", messageId: given.messages[0]?.id });
      await ctx.step.run("wait", () => released.opened);
      ctx.stream.write({ type: "finish" });
    },
  });
  return { definition, release: released.open };
}

/** Answers each question of a chat by itself, once it is released. */
function queued(name: string) {
  const releases: (() => void)[] = [];
  const answering: string[] = [];
  const definition = workflow({
    name,
    flowControl: { key: "chatId", concurrencyPerKey: 1 },
    run: async (ctx, { messages: asked }: ChatInput) => {
      const id = asked.at(-1)?.id ?? "";
      ctx.stream.write({ type: "start", messageId: id });
      await ctx.step.run("wait", () => {
        answering.push(id);
        return new Promise<void>((resolve) => {
          releases.push(resolve);
        });
      });
      ctx.stream.write({ type: "finish" });
    },
  });
  return { definition, releases, answering };
}

const nothing = workflow({ name: "none", run: (_, given: ChatInput) => given.chatId });

describe("a chat", () => {
  it("shows the answer to the page that asks, and from its beginning to one that comes later", async () => {
    const notes: string[] = [];
    const halfway = new Latch();
    const definition = traveller("resumed", "A", (call) => {
      notes.push(call);
      return call === "answer halfway" ? halfway.opened : undefined;
    });
    bench.serve([definition]);
    const routes = chatRoutes(bench.client, definition);
    const first = new Page(routes, "chat/1 é");
    const asking = first.ask();
    await eventually(() => JSON.stringify(first.message ?? ""), including("A2 "));
    const second = new Page(routes, "chat/1 é");
    const resuming = second.resume();
    await eventually(() => JSON.stringify(second.message ?? ""), including("A2 "));
    halfway.open();
    await Promise.all([asking, resuming]);
    expect(first.message?.parts.at(-1)).toMatchObject({ text: "A0 A1 A2 A3 A4 A5 " });
    expect(second.message).toEqual(first.message);
    expect(notes.filter((call) => call === "ask begins")).toHaveLength(1);
    await eventually(
      () => new Page(routes, "chat/1 é").resume(),
      (isRunning) => !isRunning,
    );
    expect(await new Page(routes, "another").resume()).toBe(false);
  });

  it("whose worker is killed in mid-answer shows the other answer only", async () => {
    const definition = traveller("interrupted", "", () => null);
    const killed = startWorker("interrupted", "A", "answer halfway");
    const page = new Page(chatRoutes(bench.client, definition), "killed");
    const asking = page.ask();
    await eventually(() => JSON.stringify(page.message ?? ""), including("A2 "));
    await killed.kill();
    await using survivor = startWorker("interrupted", "B", "");
    await asking;
    expect(page.chunks.map(({ type }) => type)).toContain("reset-step");
    for await (const { runs } of bench.client.runs.list({ workflow: definition })) {
      const run = await bench.client.runs.handle(definition, runs[0]?.runId ?? "");
      expect(page.message).toEqual(await run.result({ timeout: "60s" }));
    }
    expect(JSON.stringify(page.message)).not.toContain("A0");
    expect(survivor.output).toContain("serving");
  });

  it("keeps what the model said when a tool that streams is repeated", async () => {
    const failed = new Latch();
    let calls = 0;
    const definition = workflow({
      name: "repeating",
      run: async (ctx, given: ChatInput) => {
        ctx.stream.write({ type: "start", messageId: given.chatId });
        await ctx.step.run("ask", () => {
          ctx.stream.write({ type: "start-step" });
          ctx.stream.write({ type: "text-start", id: "1" });
          ctx.stream.write({ type: "text-delta", id: "1", delta: "Let me look." });
          ctx.stream.write({ type: "text-end", id: "1" });
        });
        const tool = { toolCallId: "c1", toolName: "search" };
        ctx.stream.write({ type: "tool-input-available", ...tool, input: {} });
        await ctx.step.run(
          "search c1",
          async () => {
            calls += 1;
            ctx.stream.write({ type: "data-progress", data: calls });
            if (calls > 1) return;
            await failed.opened;
            throw new Error("offline");
          },
          { retry: { attempts: 2, backoff: { kind: "fixed", base: "20ms", jitter: 0 } } },
        );
        ctx.stream.write({ type: "tool-output-available", toolCallId: "c1", output: "found" });
        ctx.stream.write({ type: "finish-step" });
        ctx.stream.write({ type: "finish" });
      },
    });
    bench.serve([definition]);
    const page = new Page(chatRoutes(bench.client, definition), "repeating");
    const asking = page.ask();
    await eventually(() => JSON.stringify(page.message ?? ""), including("data-progress"));
    failed.open();
    await asking;
    expect(page.chunks.map(({ type }) => type)).toContain("reset-step");
    expect(page.message?.parts).toMatchObject([
      { type: "step-start" },
      { type: "text", text: "Let me look." },
      { type: "tool-search", state: "output-available", output: "found" },
      { type: "data-progress", data: 2 },
    ]);
  });

  it("refuses a message during an answer, or cancels the answer", async () => {
    const { definition, release } = held("busy");
    bench.serve([definition]);
    const first = new Page(chatRoutes(bench.client, definition), "busy");
    const asking = first.ask();
    await eventually(() => first.chunks.length, 1);
    const refusing = new Page(chatRoutes(bench.client, definition), "busy");
    await expect(refusing.ask()).rejects.toThrow(/is being answered/);
    const interrupting = new Page(
      chatRoutes(bench.client, definition, { whileBusy: "interrupt" }),
      "busy",
    );
    const answering = interrupting.ask();
    await asking;
    expect(first.chunks.at(-1)).toEqual({ type: "abort" });
    release();
    await answering;
    expect(interrupting.chunks.at(-1)).toEqual({ type: "finish" });
  });

  it("answers messages one after the other if they queue, each once", async () => {
    const { definition, releases, answering } = queued("queueing");
    // A start under way at the first registration would not be counted.
    await bench.client.setFlowControl(definition);
    bench.serve([definition]);
    const routes = chatRoutes(bench.client, definition, { whileBusy: "queue" });
    const post = async (id: string): Promise<Response> => {
      const body = JSON.stringify({ id: "chat-1", messages: [{ ...messages[0], id }] });
      return routes.POST(new Request("https://app.example.com/api/chat", { method: "POST", body }));
    };
    const first = await post("q1");
    await eventually(() => answering, { length: 1 });
    const second = await post("q2");
    const repeated = await post("q2");
    const resumed = await routes.GET(new Request("https://app.example.com/api/chat/chat-1/stream"));
    expect(answering).toEqual(["q1"]);
    releases[0]?.();
    expect(await first.text()).toContain('"messageId":"q1"');
    expect(await resumed.text()).toContain('"messageId":"q1"');
    await eventually(() => answering, { length: 2 });
    releases[1]?.();
    expect(await second.text()).toContain('"messageId":"q2"');
    expect(await repeated.text()).toContain('"messageId":"q2"');
    expect(answering).toEqual(["q1", "q2"]);
    await eventually(
      () => routes.GET(new Request("https://app.example.com/api/chat/chat-1/stream")),
      { status: 204 },
    );
  });

  it("is closed to strangers, who start and see nothing", async () => {
    const { definition } = held("strangers");
    const routes = chatRoutes(bench.client, definition, {
      authorize: ({ headers }, chatId) => Promise.resolve(headers.get("user") === chatId),
    });
    const asking = (user: string): Request =>
      new Request("https://app.example.com/api/chat", {
        method: "POST",
        headers: { user },
        body: JSON.stringify({ id: "ada", messages }),
      });
    const resuming = (user: string): Request =>
      new Request("https://app.example.com/api/chat/ada/stream", { headers: { user } });
    for (const answer of [await routes.POST(asking("eve")), await routes.GET(resuming("eve"))]) {
      expect(answer.status).toBe(403);
      expect(await answer.json()).toEqual({ error: 'You may not use chat "ada".' });
    }
    expect(await bench.client.runs.count({ workflow: "strangers" })).toBe(0);
    expect((await routes.GET(resuming("ada"))).status).toBe(204);
    const answer = await routes.POST(asking("ada"));
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
    const resumed = await routes.GET(resuming("ada"));
    expect(resumed.status).toBe(200);
    await resumed.body?.cancel();
    const wrong = { authorize: true } as object;
    expect(() => chatRoutes(bench.client, definition, wrong)).toThrow(/Invalid authorize/);
  });

  it("can't queue messages for a workflow that answers several at a time", () => {
    expect(() => chatRoutes(bench.client, nothing, { whileBusy: "queue" })).toThrow(
      /Messages can.t queue for workflow .*concurrencyPerKey: 1/,
    );
    expect(() => chatRoutes(bench.client, nothing, { whileBusy: "wait" as "queue" })).toThrow(
      /Invalid whileBusy "wait"/,
    );
  });

  it("continues without the page that asked", async () => {
    const { definition, release } = held("left");
    bench.serve([definition]);
    const { POST } = chatRoutes(bench.client, definition);
    const body = JSON.stringify({ id: "left", messages });
    const request = new Request("https://app.example.com/api/chat", { method: "POST", body });
    await (await POST(request)).body?.cancel();
    release();
    const status = async (): Promise<unknown> => {
      for await (const { runs } of bench.client.runs.list({ workflow: "left" }))
        return runs[0]?.status;
      return undefined;
    };
    await eventually(status, "completed");
  });

  it("shows that a run ended without an answer", async () => {
    const failing = workflow({
      name: "failing",
      run: (ctx, given: { messages: UIMessage[] }) => {
        throw new Error(`no answer to ${given.messages.length} in run ${ctx.runId}`);
      },
    });
    bench.serve([failing]);
    const page = new Page(chatRoutes(bench.client, failing), "failing");
    await page.ask();
    expect(page.chunks).toEqual([
      { type: "error", errorText: expect.stringMatching(/^Run \d+ ended without an answer.$/) },
    ]);
  });

  it.each([
    ["no JSON", 400, /id of the chat/],
    [JSON.stringify({ id: 7, messages }), 400, /id of the chat/],
    [JSON.stringify({ id: "a", messages: [] }), 400, /messages/],
    [JSON.stringify({ id: "a", messages: [{ content: "hi" }] }), 400, /messages/],
  ])("refuses %s", async (body, status, reason) => {
    const { POST } = chatRoutes(bench.client, nothing);
    const answer = await POST(new Request("https://app.example.com", { method: "POST", body }));
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ error: expect.stringMatching(reason) });
  });

  it.each(["/api/chat", "/api/chat/%E0%A4%A/stream"])("refuses to resume at %s", async (path) => {
    const { GET } = chatRoutes(bench.client, nothing);
    expect((await GET(new Request(`https://app.example.com${path}`))).status).toBe(404);
  });
});

it("no invariant is broken by any of this", async () => {
  expect(await bench.violations()).toEqual([]);
});
