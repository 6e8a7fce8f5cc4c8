import { expect, it } from "vitest";
import { InvalidArgument } from "./errors.ts";
import { checkOptions } from "./options.ts";

interface Options {
  readonly idempotencyKey?: string;
  readonly delay?: number;
  readonly tags?: object;
}
const NAMES = { idempotencyKey: true, delay: true, tags: true } as const;
const check = (options: unknown) => () => checkOptions(options as Options, NAMES, "start()");

it("takes known options, no options, and unknown ones that are undefined", () => {
  for (const options of [undefined, {}, { delay: 1 }, { typo: undefined }, Object.create(null)]) {
    expect(check(options)).not.toThrow();
  }
});

// Misspelt on purpose: idempotencykey, dealy
it.each([
  [
    { idempotencykey: "a" },
    'Unknown option "idempotencykey" of start(). Did you mean idempotencyKey?',
  ],
  [
    { idempotency_key: "a" },
    'Unknown option "idempotency_key" of start(). Did you mean idempotencyKey?',
  ],
  [{ dealy: 1 }, 'Unknown option "dealy" of start(). Did you mean delay?'],
  [{ delays: 1 }, 'Unknown option "delays" of start(). Did you mean delay?'],
  [{ tag: {} }, 'Unknown option "tag" of start(). Did you mean tags?'],
  [{ timeout: 1 }, 'Unknown option "timeout" of start(). There are idempotencyKey, delay, tags.'],
  [{ toString: 1 }, 'Unknown option "toString" of start(). There are idempotencyKey, delay, tags.'],
  ["ada", "Invalid options of start(): give an object, not ada."],
  [null, "Invalid options of start(): give an object, not null."],
  [["ada"], "Invalid options of start(): give an object, not an array."],
])("refuses %j", (options, message) => {
  expect(check(options)).toThrow(InvalidArgument);
  expect(check(options)).toThrow(message);
});
