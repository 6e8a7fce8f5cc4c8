import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { OpenedSecrets } from "./secrets.ts";

const VALUES = {
  key: "s3cr3t/+ üb",
  short: "1234567",
  pin: "12345678",
  long: "s3cr3t/+ üb and more",
};
const source = { get: (name: string) => VALUES[name as keyof typeof VALUES] };

async function opened(...names: readonly string[]): Promise<OpenedSecrets> {
  const secrets = new OpenedSecrets(source, new Set(names));
  for (const name of names) await secrets.open(name);
  return secrets;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("a secret", () => {
  it("is opened if the document or the node type names it, and never by another name", async () => {
    const secrets = new OpenedSecrets(source, new Set(["key", "gone"]));
    expect(await secrets.open("key")).toBe(VALUES.key);
    await expect(secrets.open("pin")).rejects.toMatchObject({ code: "SECRET_NOT_NAMED" });
    await expect(secrets.open("gone")).rejects.toMatchObject({
      code: "SECRET_MISSING",
      message: 'There is no secret "gone": give it to the workers of this pool.',
    });
  });

  it("is replaced by its name as it is, whatever that means to a replacement", async () => {
    const named = new OpenedSecrets({ get: () => VALUES.key }, new Set(["$&"]));
    await named.open("$&");
    expect(named.scrub(`Bearer ${VALUES.key}`)).toBe("Bearer [secret $&]");
  });

  it.each([
    ["itself", VALUES.key],
    ["JSON in text", JSON.stringify({ key: VALUES.key })],
    ["a url", `https://x.example/?key=${encodeURIComponent(VALUES.key)}`],
    [
      "a url in small letters",
      encodeURIComponent(VALUES.key).replaceAll(/%../g, (code) => code.toLowerCase()),
    ],
    ["a form", new URLSearchParams({ key: VALUES.key }).toString()],
    ["base64", base64(VALUES.key)],
    ["base64 of urls", Buffer.from(VALUES.key).toString("base64url")],
    ["credentials of one letter", `Basic ${base64(`a:${VALUES.key}`)}`],
    ["credentials of two letters", `Basic ${base64(`ab:${VALUES.key}`)}`],
    ["credentials of three letters", `Basic ${base64(`abc:${VALUES.key}`)}`],
    ["credentials with more behind", base64(`abc:${VALUES.key}:more`)],
  ])("is replaced by its name as %s", async (_title, text) => {
    const clean = (await opened("key")).scrub(text) as string;
    expect(clean).toContain("[secret key]");
    for (const part of [VALUES.key, encodeURIComponent(VALUES.key), base64(VALUES.key)]) {
      expect(clean).not.toContain(part);
    }
    // The rest of an encoding holds no more than the bytes at its ends.
    const rest = clean.replace("[secret key]", "");
    expect(Buffer.from(rest, "base64").toString()).not.toContain("s3cr");
  });

  it("is replaced in names, lists, numbers and values with toJSON", async () => {
    const secrets = await opened("key", "pin");
    const value = {
      [VALUES.key]: [VALUES.key, 12_345_678, 1.5, null, true],
      url: new URL(`https://x.example/${VALUES.key}`),
      at: new Date(0),
    };
    expect(secrets.scrub(value)).toEqual({
      "[secret key]": ["[secret key]", "[secret pin]", 1.5, null, true],
      url: expect.not.stringContaining("s3cr3t"),
      at: "1970-01-01T00:00:00.000Z",
    });
  });

  it("of fewer than 8 bytes stays, since it would remove parts of ordinary text", async () => {
    expect((await opened("short")).scrub("1234567")).toBe("1234567");
  });

  it("that contains another one is replaced as a whole", async () => {
    const secrets = await opened("key", "long");
    expect(secrets.scrub(`${VALUES.long}|${VALUES.key}`)).toBe("[secret long]|[secret key]");
  });

  it("costs nothing where no secret was opened", () => {
    const value = { any: "thing" };
    expect(new OpenedSecrets(source, new Set()).scrub(value)).toBe(value);
  });

  it("is removed from circular values by an error rather than for ever", async () => {
    const value: Record<string, unknown> = {};
    value["self"] = value;
    const secrets = await opened("key");
    expect(() => secrets.scrub(value)).toThrow("circular");
  });
});

describe("an error", () => {
  it("keeps its class, and loses the secret in message, stack, name, code and causes", async () => {
    const secrets = await opened("key");
    const cause = Object.assign(new TypeError(`inner ${VALUES.key}`), { code: VALUES.key });
    const error = new RangeError(`outer ${VALUES.key}`, { cause });
    error.name = VALUES.key;
    const clean = secrets.scrubError(error) as RangeError & {
      readonly cause: { readonly code: string };
    };
    expect(clean).toBe(error);
    expect(clean).toBeInstanceOf(RangeError);
    expect([clean.name, clean.message, clean.cause.code]).toEqual([
      "[secret key]",
      "outer [secret key]",
      "[secret key]",
    ]);
    expect(`${clean.stack} ${cause.stack}`).not.toContain(VALUES.key);
  });

  it("that can't be changed is replaced", async () => {
    const secrets = await opened("key");
    const frozen = Object.freeze(new Error(`frozen ${VALUES.key}`));
    expect((secrets.scrubError(frozen) as Error).message).toBe("frozen [secret key]");
    const outer = Object.freeze(new Error("outer", { cause: new Error(VALUES.key) }));
    const clean = secrets.scrubError(outer) as Error;
    expect(clean.message).toBe("outer");
    expect(String(clean.cause)).not.toContain(VALUES.key);
  });

  it("loses the secret in its other members, which may be circular", async () => {
    const secrets = await opened("key");
    const request: Record<string, unknown> = {
      headers: new Headers({ authorization: "none" }),
      sent: [`Bearer ${VALUES.key}`],
    };
    request["again"] = { request };
    const error = Object.assign(new Error("402"), { status: 402, config: { request }, request });
    expect(secrets.scrubError(error)).toBe(error);
    expect(error).toMatchObject({
      status: 402,
      config: { request: { sent: ["Bearer [secret key]"], again: { request: "[removed]" } } },
      request: { sent: ["Bearer [secret key]"] },
    });
    const all = new AggregateError([new TypeError(VALUES.key), { key: VALUES.key }], "all failed");
    expect(inspect(secrets.scrubError(all), { depth: 9 })).not.toContain(VALUES.key);
    expect(all.errors).toMatchObject([{ message: "[secret key]" }, { key: "[secret key]" }]);
    expect(all.errors[0]).toBeInstanceOf(TypeError);
  });

  it("stays as it is if read-only members have no secret, and shows no bytes", async () => {
    const secrets = await opened("key");
    const issues = [{ path: ["amount"], code: "too_small" }];
    const error = Object.defineProperty(new TypeError("1 issue"), "issues", { value: issues });
    expect(secrets.scrubError(error)).toBe(error);
    expect(Reflect.get(error, "issues")).toBe(issues);
    const response = Object.assign(new Error("502"), { body: Buffer.from(VALUES.key) });
    expect(secrets.scrubError(response)).toBe(response);
    expect(response.body).toBe("[removed]");
  });

  it("with members that can't be read is replaced", async () => {
    const error = new Error(VALUES.key);
    Object.defineProperty(error, "response", {
      enumerable: true,
      get: () => {
        throw new Error("It was consumed.");
      },
    });
    const clean = (await opened("key")).scrubError(error) as Error;
    expect([clean === error, clean.message]).toEqual([false, "[secret key]"]);
  });

  it("ends where its causes lead back to it", async () => {
    const error = new Error("outer");
    error.cause = new Error(VALUES.key, { cause: error });
    const clean = (await opened("key")).scrubError(error);
    expect(inspect(clean, { depth: 20 })).not.toContain(VALUES.key);
  });

  it("of any other kind is cleaned like a value", async () => {
    const secrets = await opened("key");
    expect(secrets.scrubError(VALUES.key)).toBe("[secret key]");
    expect(secrets.scrubError({ message: VALUES.key })).toEqual({ message: "[secret key]" });
    expect(secrets.scrubError(undefined)).toBeUndefined();
  });
});

it("a log has no secrets, in messages and fields", async () => {
  const lines: unknown[][] = [];
  const write = (...line: unknown[]): void => void lines.push(line);
  const log = (await opened("key")).logger({
    debug: write,
    info: write,
    warn: write,
    error: write,
  });
  log.info(`key ${VALUES.key}`, { headers: { authorization: VALUES.key } });
  log.error("failed", new Error(VALUES.key));
  log.debug("plain");
  expect(lines).toEqual([
    ["key [secret key]", { headers: { authorization: "[secret key]" } }],
    ["failed", expect.objectContaining({ message: "[secret key]" })],
    ["plain"],
  ]);
});

it("a log has no secrets of errors, and leaves them to the handler as they are", async () => {
  const lines: unknown[] = [];
  const write = (...line: unknown[]): void => void lines.push(line);
  const log = (await opened("key")).logger({
    debug: write,
    info: write,
    warn: write,
    error: write,
  });
  const sent = { authorization: VALUES.key };
  const cause = Object.assign(new Error(VALUES.key), { sent });
  const error = Object.assign(new TypeError("402", { cause }), { sent, status: 402 });
  log.error("failed", error);
  log.error("failed", { error });
  log.error("failed", { error: new DOMException(VALUES.key, "AbortError") });
  const clean: unknown = expect.objectContaining({
    message: "402",
    status: 402,
    sent: { authorization: "[secret key]" },
  });
  expect(lines).toEqual([
    ["failed", clean],
    ["failed", { error: clean }],
    [
      "failed",
      {
        error: expect.objectContaining({ name: "AbortError", message: "[secret key]" }) as unknown,
      },
    ],
  ]);
  const shown = inspect(lines, { depth: 9 });
  expect(shown).not.toContain(VALUES.key);
  expect(shown).toContain("TypeError: 402\n");
  expect(error).toMatchObject({ sent, cause: { message: VALUES.key, sent } });
});
