/** Code of end users in `js@1`: what it can do, and attacks. */
import { setTimeout as sleep } from "node:timers/promises";
import { js, type NodeCall } from "@oxbow/declared";
import { describe, expect, it } from "vitest";

const node = js({ threads: 1 });

interface Options {
  readonly input?: unknown;
  readonly time?: string;
  readonly memory?: number;
  readonly output?: unknown;
  readonly key?: string;
  readonly signal?: AbortSignal;
  readonly log?: (level: string, message: string) => void;
}

/** Calls the handler as a worker does. */
async function run(code: string, options: Options = {}): Promise<unknown> {
  const { key = "1:a", signal = new AbortController().signal, log = () => {}, ...params } = options;
  const handler = node.handlerOf({ code });
  if (handler.kind !== "run") throw new Error("It has no handler.");
  const logger = Object.fromEntries(
    ["debug", "info", "warn", "error"].map((level) => [
      level,
      (message: string) => log(level, message),
    ]),
  );
  const call = { params: { code, ...params }, idempotencyKey: key, signal, log: logger };
  return await handler.run(call as unknown as NodeCall);
}

/** The error behind a failure: of the sandbox, rather than of the decision not to retry. */
const causeOf = async (attempt: Promise<unknown>): Promise<unknown> => {
  const error = await attempt.then(
    (value) => new Error(`It returned ${JSON.stringify(value)}.`),
    (thrown: unknown) => thrown as Error,
  );
  return error.cause ?? error;
};

const codeOf = async (attempt: Promise<unknown>): Promise<unknown> => {
  const cause = (await causeOf(attempt)) as Error & { readonly code?: unknown };
  return cause.code ?? cause.message;
};

describe("code", () => {
  it("computes JSON from its input", async () => {
    const input = {
      lines: [
        { price: 2, count: 3 },
        { price: 5, count: 1 },
      ],
      note: "ü😀\u2028",
    };
    const code = `
      const total = input.lines.reduce((sum, { price, count }) => sum + price * count, 0);
      return { total, note: input.note, at: undefined };`;
    expect(await run(code, { input })).toEqual({ total: 11, note: input.note });
    expect(await run("")).toBeNull();
    expect(await run("return input")).toBeNull();
  });

  it("fails by what it throws, with its own lines and without a retry", async () => {
    const error = await run("const lines = input.lines;\nreturn lines[0].price;", {
      input: { lines: [] },
    }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "NON_RETRIABLE", cause: { code: "CODE_FAILED" } });
    expect(String(error)).toMatch(/TypeError: cannot read property 'price' of undefined/);
    expect(await codeOf(run("throw new RangeError('too many')"))).toBe("CODE_FAILED");
    expect(await codeOf(run("throw null"))).toBe("CODE_FAILED");
    expect(await codeOf(run("return ("))).toBe("CODE_FAILED");
  });

  it("returns the same for the same run and path, and other numbers elsewhere", async () => {
    const code = "return [Math.random(), Math.random(), Math.random()]";
    const first = (await run(code, { key: "1:a" })) as readonly number[];
    expect(await run(code, { key: "1:a" })).toEqual(first);
    expect(await run(code, { key: "1:b" })).not.toEqual(first);
    expect(first.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(first).size).toBe(3);
  });

  it("sees time stand still, in UTC", async () => {
    const code = `
      const before = Date.now();
      for (let i = 0; i < 300000; i += 1);
      const date = new Date(2026, 0, 31, 12);
      return {
        still: before === Date.now() && before === new Date().getTime(),
        offset: date.getTimezoneOffset(), hours: date.getHours(), text: date.toISOString(),
        parsed: new Date("2026-01-31T12:00:00").toISOString(), isDate: date instanceof Date,
      };`;
    expect(await run(code)).toEqual({
      still: true,
      offset: 0,
      hours: 12,
      text: "2026-01-31T12:00:00.000Z",
      parsed: "2026-01-31T12:00:00.000Z",
      isDate: true,
    });
  });

  it("logs at most 100 lines of 1,000 characters", async () => {
    const lines: string[][] = [];
    const log = (level: string, message: string): void => void lines.push([level, message]);
    const code = `
      console.warn("watch", { a: 1 }, undefined);
      console.log("x".repeat(5000));
      for (let i = 0; i < 500; i += 1) console.error(i);`;
    await run(code, { log });
    expect(lines).toHaveLength(100);
    expect(lines[0]).toEqual(["warn", 'watch {"a":1} undefined']);
    expect(lines[1]).toEqual(["info", "x".repeat(1000)]);
    expect(lines[2]).toEqual(["error", "0"]);
  });

  it("must return a value of its schema", async () => {
    const output = { type: "array", items: { type: "integer" } };
    expect(await run("return [1, 2]", { output })).toEqual([1, 2]);
    await expect(run("return [1, 'b']", { output })).rejects.toThrow(
      'the output isn\'t of its schema: $[1] is "b" instead of a whole number',
    );
  });

  it("can't ask for more time or memory than there is", async () => {
    await expect(run("return 1", { time: "11s" })).rejects.toThrow("give at most 10s");
  });

  it("is stopped when its node is abandoned, and the next call has a thread", async () => {
    const abandoned = new AbortController();
    const endless = run("for (;;);", { time: "10s", signal: abandoned.signal });
    await sleep(50);
    abandoned.abort(new Error("abandoned"));
    await expect(endless).rejects.toThrow("abandoned");
    expect(await run("return 1")).toBe(1);
  });
});

/** Each returns a list of what it has reached of the host, or a fact of it; an empty list is what is right. */
const ESCAPES: readonly (readonly [string, string])[] = [
  [
    "names of the host",
    `return ["process", "require", "module", "global", "Buffer", "fetch", "XMLHttpRequest", "WebSocket", "Worker", "setTimeout",
      "setInterval", "setImmediate", "queueMicrotask", "importScripts", "WebAssembly", "std", "os", "Atomics", "SharedArrayBuffer",
      "performance", "navigator", "Deno", "Bun", "__dirname", "postMessage", "structuredClone"]
      .filter((name) => typeof globalThis[name] !== "undefined");`,
  ],
  [
    "the constructor of a function",
    `const root = (() => {}).constructor("return this")();
     return root === globalThis ? ["process", "require"].filter((name) => name in root) : ["another realm"];`,
  ],
  [
    "the constructors of its input",
    `const make = input.list.constructor.constructor;
     return make("return typeof process")() === "undefined" ? [] : ["process"];`,
  ],
  [
    "constructors of async functions and generators",
    `const make = [async function () {}, function* () {}, async function* () {}].map((each) => each.constructor);
     return make.flatMap((each) => { try { const made = each("return typeof process"); return typeof made === "function" ? [] : ["made"]; } catch { return []; } });`,
  ],
  [
    "the constructor of a caught error",
    `try { null.x } catch (error) { return error.constructor.constructor("return typeof process")() === "undefined" ? [] : ["process"]; }`,
  ],
  [
    "the constructor of an error of the stack",
    `function deep() { return deep() + 1; }
     try { deep() } catch (error) { return error.constructor.constructor("return typeof require")() === "undefined" ? [] : ["require"]; }`,
  ],
  [
    "the functions of the sandbox, by its callers",
    `const found = [];
     (function probe() { try { if (probe.caller) found.push("caller"); } catch {} try { if (arguments.callee) found.push("callee"); } catch {} })();
     return found;`,
  ],
  [
    "the functions of the sandbox, by a prepared stack",
    `Error.prepareStackTrace = (_, frames) => frames;
     const { stack } = new Error();
     return Array.isArray(stack) ? stack.flatMap((frame) => { try { return frame.getFunction?.() || frame.getThis?.() ? ["frame"] : []; } catch { return []; } }) : [];`,
  ],
  [
    "a module",
    `const found = []; import("node:fs").then(() => found.push("fs"), () => {}); return found;`,
  ],
  [
    "the wrapper around the code",
    `return []; }); globalThis.seen = [typeof process, typeof require]; (function () { return seen.filter((each) => each !== "undefined");`,
  ],
];

describe("an escape", () => {
  it.each(ESCAPES)("to %s finds nothing", async (_title, code) => {
    expect(await run(code, { input: { list: [] } })).toEqual([]);
  });

  it("leaves nothing to the next call", async () => {
    await run(`
      globalThis.leaked = input;
      Object.prototype.leaked = 1;
      Array.prototype.map = () => "stolen";
      JSON.stringify = () => '"stolen"';
      Math.random = () => 4;
      Object.freeze(Object.prototype);
      return 1;`);
    const code = `return [typeof leaked, "leaked" in {}, [1].map((n) => n + 1), JSON.stringify(2), Math.random() < 1]`;
    expect(await run(code)).toEqual(["undefined", false, [2], "2", true]);
  });
});

describe("tampering", () => {
  it("with JSON, prototypes and iterators changes nothing but its own output", async () => {
    const code = `
      JSON.stringify = JSON.parse = Reflect.apply = Function.prototype.call = () => { throw new Error("stolen"); };
      Array.prototype.push = Array.prototype[Symbol.iterator] = String.prototype.slice = () => { throw new Error("stolen"); };
      Object.defineProperty(Object.prototype, "output", { get() { throw new Error("stolen"); } });
      console.log("still here");
      return { a: [1] };`;
    const lines: string[] = [];
    const log = (_level: string, message: string): void => void lines.push(message);
    expect(await run(code, { log })).toEqual({ a: [1] });
    expect(lines).toEqual(["still here"]);
  });

  it("with toJSON returns what JSON can hold, or fails", async () => {
    expect(await run("return { toJSON() { return 7; } }")).toBe(7);
    expect(await codeOf(run("return { toJSON() { return () => 1; } }"))).toBe("CODE_FAILED");
    expect(await codeOf(run("const a = {}; a.a = a; return a;"))).toBe("CODE_FAILED");
    expect(await codeOf(run("return 1n"))).toBe("CODE_FAILED");
    expect(await codeOf(run("return Symbol('x')"))).toBe("CODE_FAILED");
    expect(await run(`return JSON.parse('{"__proto__": {"polluted": 1}}')`)).not.toHaveProperty(
      "polluted",
    );
    expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
  });

  it("with promises fails, since nothing is awaited", async () => {
    await expect(run("return Promise.resolve(1)")).rejects.toThrow("returned a promise");
    await expect(run("return (async () => 1)()")).rejects.toThrow("returned a promise");
    await expect(run("return { then(resolve) { resolve(1); } }")).rejects.toThrow("a promise");
    // Jobs that no result needs never run.
    expect(await run("Promise.resolve().then(() => { for (;;); }); return 1;")).toBe(1);
  });

  it("with errors whose members throw or never end is caught", async () => {
    const throwing = `throw { get message() { throw new Error("x"); }, get stack() { throw 1; } }`;
    expect(await codeOf(run(throwing))).toBe("CODE_FAILED");
    const proxy = `throw new Proxy(new Error("x"), { get() { throw new Error("y"); }, getPrototypeOf() { throw 1; } })`;
    expect(await codeOf(run(proxy))).toBe("CODE_FAILED");
    expect(await codeOf(run(`throw { get message() { for (;;); } }`, { time: "200ms" }))).toBe(
      "SANDBOX_LIMIT",
    );
  });
});

/** Programs by the limit that they exceed. */
const EXHAUSTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  time: {
    "an endless loop": "for (;;);",
    "an endless loop that catches everything":
      "for (;;) { try { for (;;); } catch {} finally { continue; } }",
    "endless generators":
      "function* all() { for (;;) yield 1; } for (const each of all()); return 1;",
    "a regular expression that backtracks": "return /^(a+)+$/.test('a'.repeat(40) + 'b')",
    "one built-in call that takes long": "return Array(1e9).fill(1).length",
    "a sort that never ends": "return [3, 1, 2].sort(() => { for (;;); })",
    "a getter in the output": "return { get a() { for (;;); } }",
    "a toJSON in the output": "return { toJSON() { for (;;); } }",
    "a proxy in the output": "return new Proxy({}, { ownKeys() { for (;;); } })",
    "a then in the output": "return { get then() { for (;;); } }",
    "a deep output": "let a = []; for (let i = 0; i < 1e5; i += 1) a = [a]; return a;",
  },
  memory: {
    "a list that grows": "const list = []; for (;;) list.push(new Array(1000).fill(list.length));",
    "text that grows": "const all = []; for (;;) all.push('x'.repeat(100000 + all.length));",
    "a chain that grows": "let last; for (;;) last = { last };",
    "a large array buffer": "return new ArrayBuffer(1e9).byteLength",
    "many array buffers": "const all = []; for (;;) all.push(new Uint8Array(1e6).fill(1));",
  },
  stack: {
    "endless recursion": "function deep() { return deep() + 1; } return deep();",
    "recursion in a getter": "const a = { get a() { return this.a; } }; return a.a;",
  },
  output: {
    "a huge output": "return 'x'.repeat(2 ** 20)",
    "a huge output of wide characters": "return 'ü'.repeat(2 ** 19)",
  },
  source: { "a huge source": `return ${"1+".repeat(33_000)}1` },
};

/** The limit is the only one that the code can exceed first. */
const OPTIONS: Readonly<Record<string, Options>> = {
  time: { time: "100ms", memory: 128 },
  memory: { time: "10s", memory: 1 },
};

describe.each(Object.entries(EXHAUSTIONS))("an exhaustion of %s", (limit, programs) => {
  it.each(Object.entries(programs))(
    "by %s is one, and the next call has a thread",
    async (_, code) => {
      expect(await causeOf(run(code, OPTIONS[limit] ?? { time: "10s" }))).toMatchObject({
        code: "SANDBOX_LIMIT",
        limit,
      });
      expect(await run("return 1", { time: "10s" })).toBe(1);
    },
  );
});

describe("an exhaustion", () => {
  it("of memory depends on what the call may take", async () => {
    const code = `return Array.from({ length: 60 }, () => new Uint8Array(1e6).fill(1)).length`;
    expect(await run(code, { time: "10s", memory: 64 })).toBe(60);
    expect(await causeOf(run(code, { time: "10s", memory: 32 }))).toMatchObject({
      limit: "memory",
    });
  });

  it("is retried if it is of time, which a busy machine takes, and never otherwise", async () => {
    await expect(run("for (;;);", { time: "100ms" })).rejects.toMatchObject({
      code: "SANDBOX_LIMIT",
      message: "the code didn't end within 100 ms",
    });
    await expect(run("return 'x'.repeat(2 ** 20)")).rejects.toMatchObject({
      code: "NON_RETRIABLE",
      message: "the output is larger than 1048576 bytes",
    });
  });

  it("never keeps the event loop of the worker waiting", async () => {
    const attempts = Promise.all(
      ["for (;;);", "return /^(a+)+$/.test('a'.repeat(40) + 'b')"].map((code) =>
        codeOf(run(code, { time: "200ms" })),
      ),
    );
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 1);
    await attempts.finally(() => clearInterval(turning));
    expect(await attempts).toEqual(["SANDBOX_LIMIT", "SANDBOX_LIMIT"]);
    // A loop that waited for one of the calls would have had a few turns.
    expect(turns).toBeGreaterThan(20);
  });

  it("of one call doesn't fail the others", async () => {
    const pool = js({ threads: 2 }).handlerOf({});
    if (pool.kind !== "run") throw new Error("It has no handler.");
    const call = (code: string): Promise<unknown> =>
      pool.run({
        params: { code, time: "2s", memory: 16 },
        idempotencyKey: code,
        signal: new AbortController().signal,
        log: console,
      } as unknown as NodeCall) as Promise<unknown>;
    const codes = Array.from({ length: 20 }, (_, at) =>
      at % 5 === 0 ? "return new ArrayBuffer(1e9).byteLength" : `return ${at}`,
    );
    const ends = await Promise.allSettled(codes.map((code) => call(code)));
    expect(ends.map((end) => (end.status === "fulfilled" ? end.value : "limit"))).toEqual(
      codes.map((_, at) => (at % 5 === 0 ? "limit" : at)),
    );
  });
});
