import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../document/document.ts";
import type { Catalog } from "./catalog.ts";
import { checkDocument } from "./check-document.ts";

// Misspelt on purpose: aproved, chanel, fecth, inptu, pagerdty, Sevrity, sevrity, txt

const incident: JsonSchema = {
  type: "object",
  required: ["id", "name", "channel", "severity", "fields"],
  additionalProperties: false,
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    channel: { type: "string" },
    severity: {
      type: "object",
      required: ["name", "rank"],
      properties: { name: { type: "string" }, rank: { type: "integer" } },
      additionalProperties: false,
    },
    fields: { type: "object", additionalProperties: { type: "string" } },
  },
};

const order: JsonSchema = {
  type: "object",
  required: ["id", "lines", "ship_after"],
  additionalProperties: false,
  properties: {
    id: { type: "string" },
    ship_after: { type: "string", format: "date-time" },
    lines: {
      type: "array",
      items: {
        type: "object",
        required: ["sku"],
        properties: { sku: { type: "string" }, count: { type: "integer" } },
        additionalProperties: false,
      },
    },
  },
};

const params = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(properties),
): JsonSchema => ({ type: "object", properties, required, additionalProperties: false });

const text: JsonSchema = { type: "string" };

const NODE_TYPES = [
  { type: "slack.post@1", params: params({ channel: text, text }), output: params({ ts: text }) },
  {
    type: "pagerduty.escalate@1",
    params: params({ policy: text, title: text, key: text }),
    output: params({ id: text }),
  },
  {
    type: "http.request@1",
    params: params({ url: text, response: {} }, ["url"]),
    output: {
      type: "object",
      required: ["status", "body"],
      additionalProperties: false,
      properties: { status: { type: "integer" }, body: { $from: "params.response" } },
    },
  },
  {
    type: "fraud.score@1",
    params: params({ order: order }),
    output: params({ score: { type: "number" } }),
  },
  { type: "stock.reserve@1", params: params({ sku: text }), output: params({ bin: text }) },
  { type: "stock.release@1", params: params({ bin: text }) },
  {
    type: "ring@1",
    params: {
      type: "object",
      properties: {
        times: { type: "integer", minimum: 1, maximum: 5 },
        volume: { anyOf: [{ type: "string" }, { $ref: "#/$defs/share" }] },
        pauses: { type: "array", items: { type: "number", exclusiveMinimum: 0 } },
      },
      additionalProperties: false,
      $defs: { share: { type: "number", minimum: 0, maximum: 1 } },
    },
  },
  { type: "task@1" },
];

const RESOURCES: Readonly<Record<string, JsonSchema>> = {
  Incident: incident,
  Order: order,
  EscalationPolicy: {},
  Severity: params({ rank: { type: "integer" } }),
};

const catalog: Catalog = {
  nodeType: (type) => NODE_TYPES.find((each) => each.type === type),
  nodeTypes: NODE_TYPES.map(({ type }) => type),
  resourceType: (name) => {
    const schema = RESOURCES[name];
    return schema === undefined ? undefined : { schema };
  },
  hasResource: (_, id) => id !== "gone",
  config: (name) => (name === "channel" ? { schema: text } : undefined),
  hasSecret: (name) => name === "pagerduty",
  workflow: (name) =>
    name === "ship-order"
      ? { input: params({ bins: { type: "array", items: text } }), output: text, runs: ["other"] }
      : undefined,
  trigger: (on) =>
    on === "incident.updated"
      ? { event: params({ incident: { $ref: "resource:Incident" } }), loaded: [] }
      : undefined,
};

const escalation = {
  format: 1,
  name: "page-on-major",
  title: "Page for major production incidents",
  input: {
    type: "object",
    required: ["incident"],
    properties: { incident: { $ref: "resource:Incident" } },
  },
  triggers: {
    changed: {
      on: "incident.updated",
      when: "event.incident.severity.rank >= resource('Severity', '01FD7').rank && event.incident.fields.service == 'production'",
      once_for: ["event.incident.id"],
      input: { incident: { $path: "event.incident" } },
    },
  },
  nodes: {
    tell: {
      type: "slack.post@1",
      onError: "continue",
      fallback: null,
      params: {
        channel: { $path: "input.incident.channel" },
        text: { $text: "Severity is {{input.incident.severity.name}}, paging." },
      },
    },
    page: {
      type: "pagerduty.escalate@1",
      retry: { attempts: 10 },
      params: {
        policy: { $resource: { type: "EscalationPolicy", id: "P7X" } },
        title: { $path: "input.incident.name" },
        key: { $secret: "pagerduty" },
      },
    },
  },
  edges: [{ from: "tell", to: "page" }],
};

const fulfil = {
  format: 1,
  name: "fulfil",
  input: { $ref: "resource:Order" },
  nodes: {
    stock: {
      type: "http.request@1",
      params: {
        url: { $text: "https://stock.example/{{input.id}}" },
        response: { type: "object", required: ["free"], properties: { free: { type: "integer" } } },
      },
    },
    fraud: { type: "fraud.score@1", timeout: "10s", params: { order: { $path: "input" } } },
    review: {
      type: "approve@1",
      params: {
        title: "Fraud check is down. Ship?",
        approvers: ["risk"],
        excludeStarter: true,
        timeout: "2d",
        form: { type: "object", properties: { why: { type: "string" } } },
      },
    },
    go: {
      type: "branch@1",
      join: { count: 2 },
      params: {
        cases: [
          {
            id: "ship",
            when: "nodes.stock.output.body.free > 0 && (!has(nodes.fraud.output) || nodes.fraud.output.score < 0.8)",
          },
        ],
      },
    },
    pack: {
      type: "for_each@1",
      params: {
        items: { $path: "input.lines" },
        concurrency: 5,
        collect: { $path: "nodes.reserve.output.bin" },
      },
    },
    reserve: {
      parent: "pack",
      type: "stock.reserve@1",
      params: { sku: { $path: "item.sku" } },
      rollback: { type: "stock.release@1", params: { bin: { $path: "nodes.reserve.output.bin" } } },
    },
    hold: {
      type: "delay@1",
      params: { until: { $cel: "timestamp(input.ship_after) - duration('1h')" } },
    },
    ship: {
      type: "run@1",
      params: { workflow: "ship-order", input: { bins: { $path: "nodes.pack.output.results" } } },
    },
    done: { type: "end@1", params: { output: { $path: "nodes.ship.output" } } },
    refuse: { type: "end@1", params: { output: { refused: true } } },
  },
  edges: [
    { from: "stock", to: "go" },
    { from: "fraud", to: "go" },
    { from: "fraud", on: "error", to: "review" },
    { from: "review", on: "approved", to: "go" },
    { from: "review", on: "rejected", to: "refuse" },
    { from: "review", on: "timeout", to: "refuse" },
    { from: "go", on: "ship", to: "pack" },
    { from: "go", on: "else", to: "refuse" },
    { from: "pack", to: "hold" },
    { from: "hold", to: "ship" },
    { from: "ship", to: "done" },
  ],
};

describe("documents without a mistake", () => {
  it("the escalation: no problem, its references and what its trigger requires of events", () => {
    expect(checkDocument(escalation, catalog)).toEqual({
      problems: [],
      compiled: {
        references: {
          resources: [
            { type: "EscalationPolicy", id: "P7X", pointer: "/nodes/page/params/policy" },
            { type: "Severity", id: "01FD7", pointer: "/triggers/changed/when" },
          ],
          nodeTypes: ["pagerduty.escalate@1", "slack.post@1"],
          secrets: ["pagerduty"],
          configs: [],
          workflows: [],
        },
        triggers: [
          {
            id: "changed",
            on: "incident.updated",
            prefilter: [{ path: ["incident", "fields", "service"], value: "production" }],
          },
        ],
      },
    });
  });

  it("the order: joins, errors, a loop, an approval and a workflow", () => {
    const { problems, compiled } = checkDocument(fulfil, catalog);
    expect(problems).toEqual([]);
    expect(compiled?.references.workflows).toEqual(["ship-order"]);
  });
});

interface Small {
  readonly nodes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly edges?: readonly (readonly [from: string, to: string, on?: string])[];
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Problems of a document of tasks, as `code pointer: message (hint)`. */
function problemsOf({ nodes, edges = [], more = {} }: Small): readonly string[] {
  const document = {
    format: 1,
    name: "w",
    input: params({ a: text, n: { type: "integer" }, o: { type: "string" } }, ["a", "n"]),
    nodes: Object.fromEntries(
      Object.entries(nodes).map(([id, node]) => [id, { type: "task@1", ...node }]),
    ),
    edges: edges.map(([from, to, on]) => ({ from, to, ...(on === undefined ? {} : { on }) })),
    ...more,
  };
  return checkDocument(document, catalog).problems.map(
    ({ code, severity, pointer, message, hint }) =>
      `${severity === "error" ? "" : "warning "}${code} ${pointer}: ${message} (${hint})`,
  );
}

const reading = (path: string): Readonly<Record<string, unknown>> => ({
  params: { x: { $path: path } },
});

const ask = (id: string): string =>
  `Ask first with has(nodes.${id}.output), give the $path a default, or change the join so that it waits for "${id}".`;

describe("mistakes", () => {
  it.each<[string, Small, readonly string[]]>([
    [
      "a shape that isn't a document",
      { nodes: { a: { typ: "x" } } },
      [expect.stringMatching(/^UNKNOWN_MEMBER \/nodes\/a\/typ: there is no member "typ" here/)],
    ],
    [
      "an unknown node type",
      { nodes: { a: { type: "slack.pots@1" } } },
      [
        'UNKNOWN_NODE_TYPE /nodes/a/type: there is no node type "slack.pots@1" (Did you mean "slack.post@1"?)',
      ],
    ],
    [
      "numbers out of their range, at any depth",
      {
        nodes: {
          a: {
            type: "ring@1",
            params: { times: 6, volume: 1.5, pauses: [1, 0, { $literal: -1 }] },
          },
          b: { type: "ring@1", params: { times: { $literal: 0 }, volume: "loud" } },
          c: { type: "ring@1", params: { times: { $path: "input.n" }, volume: 1, pauses: [2] } },
        },
      },
      [
        "OUT_OF_RANGE /nodes/a/params/times: 6 is more than 5 (Enter a number of at least 1 and at most 5.)",
        "OUT_OF_RANGE /nodes/a/params/volume: 1.5 is more than 1 (Enter a number of at least 0 and at most 1.)",
        "OUT_OF_RANGE /nodes/a/params/pauses/1: 0 is not more than 0 (Enter a number of more than 0.)",
        "OUT_OF_RANGE /nodes/a/params/pauses/2/$literal: -1 is not more than 0 (Enter a number of more than 0.)",
        "OUT_OF_RANGE /nodes/b/params/times/$literal: 0 is less than 1 (Enter a number of at least 1 and at most 5.)",
      ],
    ],
    [
      "numbers out of the range of an input",
      {
        nodes: { a: { type: "end@1", params: { output: 11 } } },
        more: {
          input: { type: "integer", exclusiveMaximum: 10 },
          output: { type: "integer", maximum: 10 },
          triggers: { daily: { on: "schedule", every: "1d", input: 10 } },
        },
      },
      [
        "OUT_OF_RANGE /nodes/a/params/output: 11 is more than 10 (Enter a number of at most 10.)",
        "OUT_OF_RANGE /triggers/daily/input: 10 is not less than 10 (Enter a number of less than 10.)",
      ],
    ],
    [
      "an unknown handle",
      {
        nodes: { a: { type: "approve@1", params: { title: "x" } }, b: {} },
        edges: [["a", "b", "aproved"]],
      },
      ['UNKNOWN_HANDLE /edges/0/on: "a" has no handle "aproved" (Did you mean "approved"?)'],
    ],
    [
      "an edge after an end",
      { nodes: { a: { type: "end@1" }, b: {} }, edges: [["a", "b"]] },
      ['UNKNOWN_HANDLE /edges/0/on: nothing follows "a", which ends the run (Leave it by error.)'],
    ],
    [
      "handles that lead nowhere",
      { nodes: { a: { type: "wait@1" }, b: {} }, edges: [["a", "b", "received"]] },
      [
        'warning UNUSED_HANDLE /nodes/a: nothing follows when "a" takes "timeout" (Draw an edge from it, or leave it if the run may end there.)',
      ],
    ],
    [
      "a cycle",
      {
        nodes: { a: {}, b: {} },
        edges: [
          ["a", "b"],
          ["b", "a"],
        ],
      },
      [expect.stringMatching(/^CYCLE \/edges\/1: the edges form a cycle: "a" → "b" → "a"/)],
    ],
    [
      "an edge across the border of a loop",
      {
        nodes: {
          l: { type: "repeat@1", params: { until: "true", max: 3 } },
          b: { parent: "l" },
          c: {},
        },
        edges: [["b", "c"]],
      },
      [expect.stringMatching(/^EDGE_CROSSES_LOOP \/edges\/0/)],
    ],
    [
      "a count of edges that exclude each other",
      {
        nodes: {
          a: { type: "approve@1", params: { title: "x", timeout: "1d" } },
          b: { join: { count: 2 } },
          c: {},
        },
        edges: [
          ["a", "b", "approved"],
          ["a", "b", "rejected"],
          ["a", "c", "timeout"],
        ],
      },
      [
        'UNREACHABLE_COUNT /nodes/b/join: "b" never runs: no combination of decisions takes 2 of its edges (Lower the count, or draw edges that are taken together.)',
      ],
    ],
    [
      "a node that doesn't exist",
      { nodes: { fetch: {}, b: reading("nodes.fecth.output") }, edges: [["fetch", "b"]] },
      ['UNKNOWN_NODE /nodes/b/params/x/$path: there is no node "fecth" (Did you mean "fetch"?)'],
    ],
    [
      "a node that runs later",
      { nodes: { a: reading("nodes.b.output"), b: {} }, edges: [["a", "b"]] },
      [
        'NEVER_PRESENT /nodes/a/params/x/$path: "b" runs after "a" (Read a node that runs before this one.)',
      ],
    ],
    [
      "a node that isn't waited for",
      { nodes: { a: reading("nodes.b.output"), b: {} } },
      [`warning MAY_BE_MISSING /nodes/a/params/x/$path: "a" doesn't wait for "b" (${ask("b")})`],
    ],
    [
      "a node on another branch",
      {
        nodes: {
          a: { type: "branch@1", params: { cases: [{ id: "yes", when: "true" }] } },
          b: {},
          c: reading("nodes.b.output"),
          d: reading("nodes.b.output"),
        },
        edges: [
          ["a", "b", "yes"],
          ["a", "c", "else"],
          ["b", "d"],
          ["c", "d"],
        ],
      },
      [
        `warning MAY_BE_MISSING /nodes/c/params/x/$path: "c" doesn't wait for "b" (${ask("b")})`,
        `warning MAY_BE_MISSING /nodes/d/params/x/$path: "b" doesn't run when "a" takes "else" (${ask("b")})`,
      ],
    ],
    [
      "a node whose guard may be false",
      {
        nodes: { a: { when: "input.n > 1" }, b: {}, c: reading("nodes.a.output") },
        edges: [
          ["a", "c"],
          ["b", "c"],
        ],
      },
      [
        `warning MAY_BE_MISSING /nodes/c/params/x/$path: "a" doesn't run when its guard is false (${ask("a")})`,
      ],
    ],
    [
      "a node that may have failed",
      {
        nodes: { a: {}, b: {}, c: reading("nodes.a.output") },
        edges: [
          ["a", "b", "error"],
          ["a", "c"],
          ["b", "c"],
        ],
      },
      [
        `warning MAY_BE_MISSING /nodes/c/params/x/$path: "a" has no output when it fails (${ask("a")})`,
      ],
    ],
    [
      "the output of a node that has failed",
      {
        nodes: { a: {}, b: reading("nodes.a.output"), c: reading("nodes.a.error.message") },
        edges: [
          ["a", "b", "error"],
          ["a", "c"],
        ],
      },
      [
        'NEVER_PRESENT /nodes/b/params/x/$path: "a" has failed here, so that it has no output (Read nodes.a.error.)',
        `NEVER_PRESENT /nodes/c/params/x/$path: "a" has not failed here, so that it has no error (Read it after the handle "error".)`,
      ],
    ],
    [
      "a node that a join doesn't wait for",
      {
        nodes: { a: {}, b: {}, c: { join: "any", ...reading("nodes.a.output") } },
        edges: [
          ["a", "c"],
          ["b", "c"],
        ],
      },
      [
        expect.stringMatching(
          /^warning MAY_BE_MISSING \/nodes\/c\/params\/x\/\$path: "a" (?:may not have ended yet|has no output)/,
        ),
      ],
    ],
    [
      "a default or a question makes it right",
      {
        nodes: {
          a: {},
          b: {},
          c: { join: "any", params: { x: { $path: "nodes.a.output", default: 1 } } },
          d: { when: "has(nodes.a.output) && nodes.a.output == 1" },
        },
        edges: [
          ["a", "c"],
          ["b", "c"],
          ["c", "d"],
        ],
      },
      [],
    ],
    [
      "a node in a loop",
      {
        nodes: {
          l: { type: "for_each@1", params: { items: [1] } },
          b: { parent: "l", ...reading("item") },
          c: reading("nodes.b.output"),
          d: reading("item"),
        },
        edges: [
          ["l", "c"],
          ["c", "d"],
        ],
      },
      [
        'NEVER_PRESENT /nodes/c/params/x/$path: "b" is inside the loop "l", which has ended or not begun here (Read a node that runs before this one.)',
        "NEVER_PRESENT /nodes/d/params/x/$path: item, index and loops can be read in loops only (Put the node into a loop: give it a parent.)",
      ],
    ],
    [
      "a member that isn't in the schema",
      { nodes: { a: reading("input.b") } },
      [
        'UNKNOWN_MEMBER /nodes/a/params/x/$path: there is no member "b" for input.b (Did you mean "a"?)',
      ],
    ],
    [
      "an optional member",
      { nodes: { a: reading("input.o") } },
      [
        "warning MAY_BE_MISSING /nodes/a/params/x/$path: input.o may be missing (Ask first: has(input.o) ? input.o : …; or give a $path a default.)",
      ],
    ],
    [
      "parameters of the wrong type",
      {
        nodes: { a: { type: "slack.post@1", params: { channel: { $path: "input.n" }, txt: "x" } } },
      },
      [
        'MISSING_PARAMETER /nodes/a/params/text: the parameter "text" is missing (Give it a value or a binding.)',
        `TYPE_MISMATCH /nodes/a/params/channel: "channel" doesn't fit: it is a whole number instead of text (Write {"$text": "{{ … }}"} or string().)`,
        'UNKNOWN_PARAMETER /nodes/a/params/txt: there is no parameter "txt" (Did you mean "text"?)',
      ],
    ],
    [
      "expressions that can't run",
      {
        nodes: {
          a: { when: "input.n" },
          b: { when: "input.a >" },
          c: { params: { x: { $cel: "input.a + input.n" } } },
          d: { params: { x: { $text: "Hi {{ inptu.a }}" } } },
          e: { when: "now > timestamp('2026-01-01T00:00:00Z')" },
          f: { when: "event.a == 1" },
          g: { params: { x: { $path: "a b" } } },
        },
      },
      [
        "TYPE_MISMATCH /nodes/a/when: a condition must be true or false, and input.n is a whole number (Compare it with a value.)",
        "EXPRESSION_INVALID /nodes/b/when: the expression ends too early (Complete the expression.)",
        "TYPE_MISMATCH /nodes/c/params/x/$cel: + doesn't apply to text and a whole number (Write double() around the text, or string() around the number.)",
        "UNKNOWN_NAME /nodes/d/params/x/$text: there is no inptu here (Did you mean input?)",
        "NEVER_PRESENT /nodes/e/when: now can't be read here, since a replay would answer differently (Read it in a parameter of a node with effects, or use run.started_at.)",
        "NEVER_PRESENT /nodes/f/when: event can be read in triggers only (Hand it over in the input of the trigger, and read input.)",
        'INVALID_PATH /nodes/g/params/x/$path: "a b" isn\'t a path (Write names with dots between them, like nodes.fetch.output.items[0]["a b"].)',
      ],
    ],
    [
      "references that dangle",
      {
        nodes: {
          a: { params: { x: { $resource: { type: "Severity", id: "gone" } } } },
          b: { params: { x: { $resource: { type: "Sevrity", id: "1" } } } },
          c: { params: { x: { $secret: "pagerdty" }, y: { $config: "chanel" } } },
          d: { when: "config.chanel == 'x'" },
          e: { type: "run@1", params: { workflow: "missing" } },
          f: { type: "run@1", params: { workflow: "ship-order", input: { bins: [1] } } },
        },
      },
      [
        'UNKNOWN_RESOURCE /nodes/a/params/x: there is no Severity "gone" (Choose another resource.)',
        'UNKNOWN_RESOURCE /nodes/b/params/x: there is no resource type "Sevrity" (Choose another resource.)',
        'UNKNOWN_SECRET /nodes/c/params/x: there is no secret "pagerdty" (Add it to the secrets of the workers.)',
        'UNKNOWN_CONFIG /nodes/c/params/y: there is no config "chanel" (Set it in this environment first.)',
        'UNKNOWN_CONFIG /nodes/d/when: there is no config "chanel" (Set it in this environment first.)',
        'UNKNOWN_WORKFLOW /nodes/e/params/workflow: there is no workflow "missing" (Publish it first, or choose another one.)',
        `TYPE_MISMATCH /nodes/f/params/input/bins/0: item 0 of "bins" doesn't fit: it is a whole number instead of text (Write {"$text": "{{ … }}"} or string().)`,
      ],
    ],
    [
      "a secret where no handler reads it",
      {
        nodes: {
          a: { type: "set@1", params: { x: { $secret: "pagerduty" } } },
          b: { onError: "continue", fallback: { $secret: "pagerduty" } },
          c: {
            rollback: { type: "js@1", params: { code: "", input: { $secret: "pagerduty" } } },
          },
        },
      },
      [
        `MISPLACED_SECRET /nodes/a/params/x: the secret "pagerduty" can't be opened here (Name it in a parameter that takes secrets.)`,
        `MISPLACED_SECRET /nodes/b/fallback: the secret "pagerduty" can't be opened here (Name it in a parameter that takes secrets.)`,
        `MISPLACED_SECRET /nodes/c/rollback/params/input: the secret "pagerduty" can't be opened here (Name it in a parameter that takes secrets.)`,
      ],
    ],
    [
      "results of a loop that tolerates failures may be null",
      {
        nodes: {
          l: {
            type: "for_each@1",
            params: { items: [1], failures: 2, collect: { $path: "nodes.b.output.id" } },
          },
          b: {
            parent: "l",
            type: "pagerduty.escalate@1",
            params: { policy: "p", title: "t", key: "k" },
          },
          c: { when: "nodes.l.output.results[0].contains('x')" },
        },
        edges: [["l", "c"]],
      },
      [expect.stringMatching(/^warning MAY_BE_NULL \/nodes\/c\/when/)],
    ],
    [
      "a workflow that runs itself",
      { nodes: { a: { type: "run@1", params: { workflow: "w" } } } },
      [expect.stringMatching(/^warning WORKFLOW_CIRCLE \/nodes\/a\/params\/workflow: .*"w" → "w"/)],
    ],
    [
      "triggers that don't fit",
      {
        nodes: { a: {} },
        more: {
          triggers: {
            t: { on: "incident.updated", when: "event.incident.sevrity.rank > 1", recheck: true },
            s: { on: "schedule", when: "event.scheduled > '2'", input: { a: "x", n: 1 } },
            c: { on: "schedule", cron: "0 25 * * *", input: { a: "x", n: 1 } },
            f: { on: "schedule", cron: "0 9 30 2 *", input: { a: "x", n: 1 } },
            i: { on: "schedule", every: "1.5s", time_zone: "UTC", input: { a: "x", n: 1 } },
            z: {
              on: "schedule",
              cron: "*/5 9-17 * JAN-MAR MON-FRI",
              time_zone: "Europe/Berln",
              input: { a: "x", n: 1 },
            },
            h: { on: "webhook", every: "1m", input: { a: "x", n: 1 }, verify: "github" },
            k: { on: "webhook", input: { a: "x", n: 1 }, identical: "each" },
            u: {
              on: "incident.updated",
              when: "now > 1 && input.a == 'x'",
              input: { a: "x", n: 1 },
            },
          },
        },
      },
      [
        'UNKNOWN_MEMBER /triggers/t/when: there is no member "sevrity" for event.incident.sevrity (Did you mean "severity"?)',
        'TYPE_MISMATCH /triggers/t: the input doesn\'t fit: "a" is missing (Add the member "a".)',
        'UNKNOWN_MEMBER /triggers/s/when: there is no member "scheduled" for event.scheduled (Did you mean "scheduled_at"?)',
        'INVALID_SCHEDULE /triggers/s: a schedule has either a cron expression or an interval (Set cron, such as "0 9 * * 1-5", or every, such as "1h".)',
        'INVALID_SCHEDULE /triggers/c/cron: the cron expression "0 25 * * *" is invalid: Invalid value for hour: 25 (Give minute, hour, day, month and weekday, such as "0 9 * * 1-5".)',
        'INVALID_SCHEDULE /triggers/i/every: an interval of "1.5s" isn\'t whole seconds between 1 second and 10 years (Use one such as "30s", "15m", "1h" or "1d".)',
        "INVALID_SCHEDULE /triggers/i/time_zone: an interval has no time zone (Remove it, or use cron.)",
        'INVALID_SCHEDULE /triggers/z/time_zone: there is no time zone "Europe/Berln" (Use the IANA name of a time zone, such as Europe/Berlin.)',
        "UNKNOWN_NAME /triggers/u/when: there is no now here (The names are event. Write text in quotes.)",
        "UNKNOWN_NAME /triggers/u/when: there is no input here (The names are event. Write text in quotes.)",
        'warning NEVER_TICKS /triggers/f/cron: the cron expression "0 9 30 2 *" has no tick: there is no such day (Choose a day that its months have.)',
        'warning UNUSED_MEMBER /triggers/h/every: every has no effect in a trigger on "webhook" (Remove it: it is for "schedule".)',
        'warning UNUSED_MEMBER /triggers/k/identical: identical has no effect, because the id of a delivery is signed, or given by the sender (Remove it: it is for "verify": "github".)',
        "warning UNUSED_RECHECK /triggers/t/recheck: recheck has no effect without a delay (Set a delay, or remove it.)",
      ],
    ],
    [
      "cases twice, a fallback that is never used, a wait in a loop",
      {
        nodes: {
          a: {
            type: "branch@1",
            params: {
              cases: [
                { id: "x", when: "true" },
                { id: "x", when: "input.n" },
              ],
            },
          },
          b: { fallback: 1 },
          l: { type: "for_each@1", params: { items: [1] } },
          w: { type: "wait@1", parent: "l" },
          m: { type: "for_each@1", params: { items: [1] } },
          r: {
            type: "run@1",
            parent: "m",
            params: { workflow: "ship-order", input: { bins: ["b"] } },
          },
          n: { type: "for_each@1", params: { items: [1], as: "runs" } },
          v: { type: "wait@1", parent: "n" },
          u: {
            type: "http.request@1",
            parent: "n",
            params: { url: "https://a.example" },
            rollback: { type: "http.request@1", params: { url: "https://a.example/undo" } },
          },
          o: { type: "for_each@1", params: { items: [1], as: "jobs" } },
          s: { type: "set@1", parent: "o" },
        },
      },
      [
        'DUPLICATE /nodes/a/params/cases/1/id: the case "x" is there twice (Choose another id.)',
        "TYPE_MISMATCH /nodes/a/params/cases/1/when: a condition must be true or false, and input.n is a whole number (Compare it with a value.)",
        `TYPE_MISMATCH /nodes/o/params/as: "as" doesn't fit: it is "jobs" instead of "inline" or "runs" (Use one of "inline", "runs".)`,
        `warning ROLLBACK_IN_ITEM /nodes/u/rollback: "u" is undone only if its own item fails or is stopped, since each item of the loop "n" is a run (To undo completed items when the workflow fails, set "as": "inline".)`,
        `warning UNUSED_FALLBACK /nodes/b/fallback: the fallback is never used (Set "onError": "continue", or remove the fallback.)`,
        `warning WAITS_IN_LOOP /nodes/w: "w" waits inside the loop "l", which keeps all items in one journal (For many items, set "as": "runs": each item becomes a run.)`,
      ],
    ],
    [
      "an output that isn't the declared one",
      {
        nodes: { a: { type: "end@1", params: { output: { id: 1 } } } },
        more: { output: params({ id: text }) },
      },
      [
        `TYPE_MISMATCH /nodes/a/params/output/id: "id" doesn't fit: it is a whole number instead of text (Write {"$text": "{{ … }}"} or string().)`,
      ],
    ],
  ])("%s", (_, document, expected) => {
    expect(problemsOf(document).toSorted()).toEqual([...expected].toSorted());
  });

  it("ranges are those of the expression in its text", () => {
    const document = {
      format: 1,
      name: "w",
      nodes: { a: { type: "task@1", params: { x: { $text: "Hi {{ 1 + inptu.a }}" } } } },
    };
    expect(checkDocument(document, catalog).problems).toMatchObject([
      { node: "a", pointer: "/nodes/a/params/x/$text", range: { start: 10, end: 15 } },
    ]);
  });

  it("warnings don't keep a document from being published", () => {
    const { problems, compiled } = checkDocument(
      {
        format: 1,
        name: "w",
        nodes: { a: { type: "task@1", ...reading("nodes.b.output") }, b: { type: "task@1" } },
      },
      catalog,
    );
    expect(problems.map(({ severity }) => severity)).toEqual(["warning"]);
    expect(compiled?.references.nodeTypes).toEqual(["task@1"]);
  });

  it("references are collected once, also those in parameters that give an output its type", () => {
    const resource = { type: "Severity", id: "01FD7" };
    const { compiled } = checkDocument(
      {
        format: 1,
        name: "w",
        nodes: {
          a: { type: "set@1", params: { severity: { $resource: resource } } },
          done: { type: "end@1", params: { output: { $path: "nodes.a.output.severity" } } },
        },
        edges: [{ from: "a", to: "done" }],
      },
      catalog,
    );
    expect(compiled?.references.resources).toEqual([
      { ...resource, pointer: "/nodes/a/params/severity" },
    ]);
  });
});
