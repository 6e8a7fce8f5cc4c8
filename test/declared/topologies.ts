/** The corpus of declared workflows: each shape of graph once, with tasks whose behaviour is a parameter. */
import type { Document, Edge, Node } from "../../declared/src/document/document.ts";

/** A graph whose nodes are of type `task@1`, unless they say otherwise. Edges as text: `a b:error`. */
function documentOf(
  edges: readonly string[],
  nodes: Readonly<Record<string, Partial<Node>>> = {},
  settings: NonNullable<Document["settings"]> = {},
): Document {
  const read = edges.map((edge): Edge => {
    const [, from = "", to = "", on = "out"] = /^(\w+) (\w+)(?::(\w+))?$/.exec(edge) ?? [];
    return { from, on, to };
  });
  const ids = new Set([...read.flatMap(({ from, to }) => [from, to]), ...Object.keys(nodes)]);
  const each = [...ids].map((id): [string, Node] => [id, { type: "task@1", ...nodes[id] }]);
  return { format: 1, name: "topology", nodes: Object.fromEntries(each), edges: read, settings };
}

const task = (params: Readonly<Record<string, number | string>>): Partial<Node> => ({ params });
const end = (path: string): Partial<Node> => ({
  type: "end@1",
  params: { output: { $path: path, default: null } },
});
const FAILS: Partial<Node> = { params: { failures: 9 }, retry: { attempts: 1 } };

export const TOPOLOGIES: Readonly<Record<string, Document>> = {
  linear: documentOf(["a b", "b c", "c done"], { done: end("nodes.c.output") }),
  "fan-out": documentOf(["a b", "a c", "a d", "a e"], { b: task({ ms: 30 }), c: task({ ms: 1 }) }),
  "fan-in": documentOf(["a j", "b j", "c j"], { a: task({ ms: 20 }), b: task({ ms: 1 }) }),
  "diamond of all": documentOf(["a b", "a c", "b d", "c d"], { b: task({ ms: 40 }) }),
  "diamond of any": documentOf(["a b", "a c", "b d", "c d", "d e"], {
    b: task({ ms: 40 }),
    d: { join: "any" },
  }),
  "deep chain": documentOf(Array.from({ length: 12 }, (_, at) => `n${at} n${at + 1}`)),
  "error path": documentOf(["a b", "a rescue:error", "b done", "rescue done"], {
    a: FAILS,
    rescue: task({ value: "rescued" }),
    done: end("nodes.rescue.output"),
  }),
  "failure without a path": documentOf(["a b", "b c", "a d"], { b: FAILS, d: task({ ms: 50 }) }),
  "fallback of a join": documentOf(["a j", "b j", "j done"], {
    a: FAILS,
    j: { onError: "continue", fallback: { code: { $path: "nodes.j.error.code" } } },
    done: end("nodes.j.output"),
  }),
  conditional: documentOf(["a go", "go x:big", "go y:else", "x done", "y done"], {
    a: task({ value: 7 }),
    go: {
      type: "branch@1",
      params: { cases: [{ id: "big", when: "nodes.a.output > 5" }] },
    },
    y: task({ value: "never" }),
    done: end("nodes.x.output"),
  }),
  guards: documentOf(["a b", "b c", "a c"], {
    a: { when: "input.go" },
    b: { when: "!input.go" },
  }),
  delay: documentOf(["a nap", "nap b", "a until", "until b"], {
    nap: { type: "delay@1", params: { for: "1m" } },
    until: { type: "delay@1", params: { until: "2026-01-01T00:00:30Z" } },
  }),
  "join on several levels": documentOf(
    ["a x", "b x", "c y", "d y", "x z", "y z", "a z", "z done"],
    {
      x: { join: "any" },
      y: { join: { count: 2 } },
      b: task({ ms: 70 }),
      done: end("nodes.z.output"),
    },
  ),
  "losers that wait": documentOf(["a j", "b j", "w j", "p j:approved", "j done"], {
    a: task({ ms: 20 }),
    b: { type: "delay@1", params: { for: "30d" } },
    w: { type: "wait@1", params: { event: "go" } },
    p: { type: "approve@1", params: { title: "Go?" } },
    j: { join: "any" },
    done: end("nodes.a.output"),
  }),
  "wait with a timeout": documentOf(["w x:received", "w y:timeout"], {
    w: { type: "wait@1", params: { event: "never", timeout: "1h" } },
  }),
  "approval with a timeout": documentOf(["w x:approved", "w y:timeout", "w z:rejected"], {
    w: { type: "approve@1", params: { title: "Ship?", approvers: ["risk"], timeout: "1h" } },
  }),
  "retries by code": documentOf(["a b"], {
    a: { params: { failures: 2 }, retry: { attempts: 5, backoff: { base: "1s", jitter: 0 } } },
  }),
  "loop over items": documentOf(["once twice", "loop done"], {
    loop: {
      type: "for_each@1",
      params: {
        items: { $path: "input.items" },
        concurrency: 2,
        collect: { $path: "nodes.twice.output" },
      },
    },
    once: { parent: "loop", params: { value: { $path: "item" }, ms: 5 } },
    twice: { parent: "loop", params: { value: { $cel: "nodes.once.output * 2" } } },
    done: end("nodes.loop.output"),
  }),
  "loop that tolerates failures": documentOf(["loop done"], {
    loop: { type: "for_each@1", params: { items: { $path: "input.items" }, failures: 1 } },
    each: {
      parent: "loop",
      params: { failures: { $cel: "item == 2 ? 9 : 0" }, ms: { $cel: "10 * item" } },
      retry: { attempts: 1 },
    },
    done: end("nodes.loop.output"),
  }),
  "loop that fails": documentOf(["loop done"], {
    loop: { type: "for_each@1", params: { items: { $path: "input.items" } } },
    each: {
      parent: "loop",
      params: { failures: { $cel: "item == 2 ? 9 : 0" }, ms: { $cel: "10 * item" } },
      retry: { attempts: 1 },
    },
    hold: { parent: "loop", type: "wait@1", params: { event: "never" } },
    done: end("nodes.loop.output"),
  }),
  "rounds with pauses": documentOf(["poll done"], {
    poll: {
      type: "repeat@1",
      params: { until: "index == 2", pause: "10s", collect: { $path: "nodes.ask.output" } },
    },
    ask: { parent: "poll", params: { value: { $path: "index" } } },
    done: end("nodes.poll.output"),
  }),
  "loop in a loop": documentOf(["outer done"], {
    outer: {
      type: "for_each@1",
      params: { items: { $path: "input.items" }, collect: { $path: "nodes.inner.output.results" } },
    },
    inner: {
      parent: "outer",
      type: "for_each@1",
      params: { items: [10, 20], collect: { $path: "nodes.sum.output" } },
    },
    sum: { parent: "inner", params: { value: { $cel: "loops.outer.item + item" } } },
    done: end("nodes.outer.output.results"),
  }),
  "end that terminates": documentOf(["a stop"], {
    stop: { type: "end@1", params: { output: "stopped", terminate: true } },
    slow: task({ ms: 500 }),
    nap: { type: "delay@1", params: { for: "9d" } },
  }),
  "few at a time": documentOf([], { a: {}, b: {}, c: {}, d: {}, e: {} }, { maxParallel: 2 }),
};

/** The input of every run of the corpus. */
export const INPUT = { go: true, items: [1, 2, 3] };
