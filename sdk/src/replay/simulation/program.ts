/** Random workflow bodies: a small language, its arbitraries, and its interpreter. */
import fc from "fast-check";
import type { Script } from "./script.ts";
import type { Scenario } from "./simulation.ts";

type Program =
  | {
      readonly kind: "run";
      readonly ms: number;
      readonly failures: number;
      readonly attempts: number;
      readonly backoffMs: number;
      readonly isCaught: boolean;
    }
  | { readonly kind: "sleep"; readonly ms: number }
  | { readonly kind: "wait"; readonly event: string; readonly timeoutMs: number | undefined }
  | { readonly kind: "seq" | "par" | "race"; readonly parts: readonly Program[] }
  /** A race that abandons the steps of its losers. */
  | { readonly kind: "any"; readonly parts: readonly Program[] }
  | { readonly kind: "loop"; readonly times: number; readonly part: Program }
  /** Depends on what came before it. */
  | { readonly kind: "branch"; readonly even: Program; readonly odd: Program }
  /** Microtasks between two steps. */
  | { readonly kind: "hop"; readonly ticks: number };

const EVENTS = ["go", "stop"] as const;

const anyMs = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 1, max: 90_000 }),
);

/**
 * A body and the signals that it gets.
 *
 * @param isTimeless Its outcome is the same however time passes: no race, no timeout, no uncaught failure (the
 *   first of several ends a run), no distinction between signals.
 */
export function anyScenario(isTimeless: boolean): fc.Arbitrary<Scenario> {
  const payload = isTimeless ? fc.constant("signal") : fc.option(fc.nat(9));
  return fc
    .record({
      program: composite(isTimeless, 3),
      signals: fc.array(fc.record({ atMs: anyMs, event: fc.constantFrom(...EVENTS), payload }), {
        maxLength: 5,
      }),
      requestMs: fc.integer({ min: 0, max: 5 }),
      answerMs: fc.integer({ min: 0, max: 5 }),
    })
    .map(({ program, signals, requestMs, answerMs }) => ({
      body: (script) => new Interpreter(script).execute(program, "p"),
      // The last ones end every wait that has no timeout.
      signals: [...signals, ...LAST_SIGNALS],
      requestMs,
      answerMs,
      [fc.toStringMethod]: () => JSON.stringify({ program, signals, requestMs, answerMs }),
    }));
}

const LAST_SIGNALS = EVENTS.flatMap((event) =>
  Array.from({ length: 200 }, () => ({ atMs: 10_000_000, event, payload: "signal" })),
);

/** Depths are spelt out: most of what a recursive arbitrary makes by itself is a leaf. */
function composite(isTimeless: boolean, depth: number): fc.Arbitrary<Program> {
  const part =
    depth === 0 ? leaf(isTimeless) : fc.oneof(leaf(isTimeless), composite(isTimeless, depth - 1));
  const kinds = isTimeless ? (["seq", "par"] as const) : (["seq", "par", "race", "any"] as const);
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constantFrom(...kinds),
        parts: fc.array(part, { minLength: 2, maxLength: 4, size: "max" }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("loop" as const),
        times: fc.integer({ min: 1, max: 3 }),
        part,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("branch" as const), even: part, odd: part }),
    },
  );
}

const FOR_EVER: number | undefined = undefined;

function leaf(isTimeless: boolean): fc.Arbitrary<Program> {
  const run = fc.record({
    kind: fc.constant("run" as const),
    ms: fc.integer({ min: 0, max: 12 }),
    failures: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
    ),
    attempts: fc.integer({ min: 2, max: 4 }),
    backoffMs: anyMs,
    isCaught: isTimeless ? fc.constant(true) : fc.boolean(),
  });
  const sleep = fc.record({ kind: fc.constant("sleep" as const), ms: anyMs });
  const wait = fc.record({
    kind: fc.constant("wait" as const),
    event: fc.constantFrom(...EVENTS),
    timeoutMs: isTimeless ? fc.constant(FOR_EVER) : fc.option(anyMs, { nil: undefined }),
  });
  const hop = fc.record({
    kind: fc.constant("hop" as const),
    ticks: fc.integer({ min: 1, max: 5 }),
  });
  return fc.oneof(
    { weight: 10, arbitrary: run },
    { weight: 4, arbitrary: sleep },
    { weight: 4, arbitrary: wait },
    { weight: 1, arbitrary: hop },
  );
}

class Interpreter {
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  /** The outcome of a program, given the outcome before it. */
  async execute(program: Program, path: string, before: unknown = 0): Promise<unknown> {
    switch (program.kind) {
      case "run":
        return this.#run(program, path);
      case "sleep":
        return this.#script.sleep(path, program.ms);
      case "wait":
        return this.#script.wait(path, program.event, program.timeoutMs);
      case "hop":
        for (let tick = 0; tick < program.ticks; tick += 1) await Promise.resolve();
        return before;
      case "seq":
        return this.#inSequence(program.parts, path, before);
      case "par":
        return Promise.all(this.#begin(program.parts, path, before));
      case "race":
        return this.#race(program.parts, path, before);
      case "any":
        return this.#any(program.parts, path, before);
      case "loop": {
        const parts = Array.from({ length: program.times }, () => program.part);
        return this.#inSequence(parts, path, before);
      }
      case "branch":
        return hash(JSON.stringify(before ?? null)) % 2 === 0
          ? this.execute(program.even, `${path}.even`, before)
          : this.execute(program.odd, `${path}.odd`, before);
      default:
        return program satisfies never;
    }
  }

  async #run(program: Program & { kind: "run" }, path: string): Promise<unknown> {
    const { ms: duration, failures, attempts, backoffMs, isCaught } = program;
    try {
      return await this.#script.run(path, {
        ms: duration,
        failures,
        retry: { attempts, backoff: { kind: "fixed", base: backoffMs, max: "1d" } },
        value: hash(path),
      });
    } catch (error) {
      if (isCaught) return `caught ${String(error)}`;
      throw error;
    }
  }

  #begin(parts: readonly Program[], path: string, before: unknown): Promise<unknown>[] {
    return parts.map((part, index) => this.execute(part, `${path}.${index}`, before));
  }

  async #any(parts: readonly Program[], path: string, before: unknown): Promise<unknown> {
    const winner = (await this.#race(parts, path, before)) as [index: number, value: unknown];
    for (const loser of parts.keys()) {
      if (loser !== winner[0]) this.#script.abandonAll(`${path}.${loser}`);
    }
    return winner;
  }

  async #race(parts: readonly Program[], path: string, before: unknown): Promise<unknown> {
    const branches = this.#begin(parts, path, before).map(async (part, index) => [
      index,
      await part,
    ]);
    const winner = await Promise.race(branches);
    this.#script.observations.add(`${path} was won by ${JSON.stringify(winner)}`);
    return winner;
  }

  async #inSequence(parts: readonly Program[], path: string, before: unknown): Promise<unknown> {
    let last = before;
    for (const [index, part] of parts.entries())
      last = await this.execute(part, `${path}.${index}`, last);
    return last;
  }
}

const hash = (text: string): number =>
  Array.from(text).reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 65_536, 7);
