/**
 * The script that prepares each context before user code. It returns the functions that the thread calls. They hold the
 * originals of what they need, so user code that replaces globals or prototypes changes what it sees itself, and nothing
 * else; whatever they return is checked outside.
 */
export const PRELUDE = String.raw`(function () {
  "use strict";
  const { parse, stringify } = JSON;
  const { apply, construct, ownKeys } = Reflect;
  const MakeFunction = Function;
  const Text = String;
  const slice = String.prototype.slice;
  const push = Array.prototype.push;
  const cut = (text, most) => apply(slice, text, [0, most]);

  // Nothing of the thread, of time or of the garbage collector is visible.
  for (const name of ["Atomics", "SharedArrayBuffer", "WeakRef", "FinalizationRegistry", "performance"]) {
    delete globalThis[name];
  }

  return function prepare(now, s0, s1, s2, s3, mostLines, mostChars) {
    // sfc32
    let a = s0 | 0, b = s1 | 0, c = s2 | 0, d = s3 | 0;
    Math.random = function random() {
      const t = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (c << 21) | (c >>> 11);
      c = (c + t) | 0;
      return (t >>> 0) / 4294967296;
    };
    for (let round = 0; round < 12; round += 1) Math.random();

    const RealDate = Date;
    const utc = RealDate.UTC;
    const local = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;
    const inUtc = (value) => (typeof value === "string" && local.test(value) ? value + "Z" : value);
    function FixedDate(...given) {
      const fields =
        given.length === 0 ? [now] : given.length === 1 ? [inUtc(given[0])] : [apply(utc, RealDate, given)];
      if (new.target === undefined) return new RealDate(now).toUTCString();
      return construct(RealDate, fields, new.target);
    }
    FixedDate.prototype = RealDate.prototype;
    RealDate.prototype.constructor = FixedDate;
    const parseDate = RealDate.parse;
    FixedDate.now = () => now;
    FixedDate.UTC = utc;
    FixedDate.parse = (text) => apply(parseDate, RealDate, [inUtc(text)]);
    const dates = RealDate.prototype;
    // The zone of the machine isn't visible.
    for (const name of ownKeys(dates)) {
      const match = typeof name === "string" ? /^(get|set)UTC(\w+)$/.exec(name) : null;
      if (match !== null) dates[match[1] + match[2]] = dates[name];
    }
    dates.getTimezoneOffset = function getTimezoneOffset() { return 0; };
    dates.toString = dates.toUTCString;
    dates.toLocaleString = dates.toISOString;
    dates.toDateString = dates.toLocaleDateString = function toDateString() { return cut(this.toISOString(), 10); };
    dates.toTimeString = dates.toLocaleTimeString = function toTimeString() { return apply(slice, this.toISOString(), [11]); };
    globalThis.Date = FixedDate;

    const lines = [];
    const shown = (value) => {
      if (typeof value === "string") return value;
      if (typeof value === "object" && value !== null) {
        try { return Text(stringify(value)); } catch { return "[object]"; }
      }
      return typeof value === "symbol" || typeof value === "function" ? typeof value : Text(value);
    };
    const writer = (level) => (...values) => {
      if (lines.length >= mostLines) return;
      let text = "";
      for (let at = 0; at < values.length; at += 1) text += (at === 0 ? "" : " ") + shown(values[at]);
      apply(push, lines, [{ __proto__: null, level, text: cut(text, mostChars) }]);
    };
    globalThis.console = {
      debug: writer("debug"), log: writer("info"), info: writer("info"), warn: writer("warn"), error: writer("error"),
    };

    const member = (error, name) => {
      try { return cut(Text(error[name]), 8000); } catch { return ""; }
    };
    return {
      __proto__: null,
      compile: (code) => new MakeFunction("input", '"use strict";\n' + code + "\n"),
      call: (run, input) => run(parse(input)),
      /** JSON, or undefined for what can't be JSON. */
      output: (value) => {
        if (value === undefined) return "null";
        const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
        if (isObject && typeof value.then === "function") {
          throw new TypeError("the code returned a promise: nothing can be awaited, so return the value itself");
        }
        const text = stringify(value);
        if (text === undefined) throw new TypeError("the code returned a " + typeof value + ", which JSON doesn't have");
        return text;
      },
      log: () => stringify(lines),
      describe: (error) => {
        const isError = typeof error === "object" && error !== null;
        return stringify(isError
          ? { __proto__: null, name: member(error, "name"), message: member(error, "message"), stack: member(error, "stack") }
          : { __proto__: null, name: "NonError", message: "thrown: " + shown(error), stack: "" });
      },
    };
  };
})()`;
