import { exact, type Overload, plain } from "./overload.ts";
import { Instant, readInstant, readSpan, Span } from "./time.ts";
import { costOf, textOf } from "./value.ts";

const SECOND = 1_000_000_000n;

export const CONVERSIONS: readonly Overload[] = [
  plain("int", ["number"], "integer", ({ number }) => exact(Math.trunc(number(0))) + 0),
  plain("int", ["text"], "integer", ({ text }) => wholeOf(text(0))),
  plain("int", ["time"], "integer", ({ time }) => secondsOf(time(0).nanos)),
  plain("int", ["duration"], "integer", ({ duration }) => Number(duration(0).nanos / SECOND)),
  plain("double", ["number"], "number", ({ number }) => number(0)),
  plain("double", ["text"], "number", ({ text, charge }) => {
    charge(costOf(text(0)));
    return numberOf(text(0));
  }),
  plain("bool", ["boolean"], "boolean", ({ any }) => any(0)),
  plain("bool", ["text"], "boolean", ({ text }) => booleanOf(text(0))),
  ...(["text", "boolean", "number", "time", "duration"] as const).map((kind) =>
    plain("string", [kind], "text", ({ any }) => textOf(any(0))),
  ),
  plain("timestamp", ["time"], "time", ({ time }) => time(0)),
  plain("timestamp", ["text"], "time", ({ text }) => readInstant(text(0))),
  plain("timestamp", ["number"], "time", ({ number }) => new Instant(nanosOf(number(0)))),
  plain("duration", ["duration"], "duration", ({ duration }) => duration(0)),
  plain("duration", ["text"], "duration", ({ text }) => readSpan(text(0))),
  plain("duration", ["number"], "duration", ({ number }) => new Span(nanosOf(number(0)))),
  plain("dyn", ["any"], "any", ({ any }) => any(0)),
];

function wholeOf(text: string): number {
  if (!/^[-+]?\d{1,19}$/.test(text)) throw new RangeError("the text isn't a whole number");
  return exact(Number(text));
}

function numberOf(text: string): number {
  if (!/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(text)) {
    throw new RangeError("the text isn't a number");
  }
  const number = Number(text);
  if (!Number.isFinite(number)) throw new RangeError("the number is too large");
  return number;
}

const BOOLEANS = new Map<string, boolean>([
  ...["true", "True", "TRUE", "t", "1"].map((word): [string, boolean] => [word, true]),
  ...["false", "False", "FALSE", "f", "0"].map((word): [string, boolean] => [word, false]),
]);

function booleanOf(text: string): boolean {
  const boolean = BOOLEANS.get(text);
  if (boolean === undefined) throw new RangeError('the text is neither "true" nor "false"');
  return boolean;
}

/** Whole seconds, towards the past. */
function secondsOf(nanos: bigint): number {
  const rest = ((nanos % SECOND) + SECOND) % SECOND;
  return Number((nanos - rest) / SECOND);
}

function nanosOf(seconds: number): bigint {
  if (Math.abs(seconds) > 10 ** 12) throw new RangeError(`${seconds} seconds are out of range`);
  return BigInt(Math.round(seconds * 1000)) * 1_000_000n;
}
