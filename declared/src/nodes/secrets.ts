/**
 * Secrets of the worker, and their removal from what is journaled or logged.
 *
 * Gives up: a value that the handler has transformed in another way than those below, or cut into pieces, isn't found.
 */
import type { Logger } from "@oxbow/sdk/runtime";
import { isObject } from "../document/json.ts";
import { coded } from "./failure.ts";

/** Where a worker keeps secrets: the environment, a vault. */
export interface SecretSource {
  /** Rejects, or returns undefined, if there is no such secret. */
  readonly get: (name: string) => string | undefined | PromiseLike<string | undefined>;
}

/** The worker doesn't have it. A later attempt may find it. */
const missing = (name: string): Error =>
  coded(
    "SecretMissing",
    "SECRET_MISSING",
    `There is no secret "${name}": give it to the workers of this pool.`,
  );

/** The name came from elsewhere than the document or the node type, such as the input of the run. */
const notNamed = (name: string): Error =>
  coded(
    "SecretNotNamed",
    "SECRET_NOT_NAMED",
    `The node may not open the secret ${JSON.stringify(name)}: name it by {"$secret": …} in its parameters, or in the \`secrets\` of its type.`,
  );

/** Shorter values would remove parts of ordinary text. */
const SHORTEST_BYTES = 8;
const MOST_CAUSES = 5;
const DEEPEST = 500;

/** The secrets that one call has opened. */
export class OpenedSecrets {
  readonly #source: SecretSource | undefined;
  readonly #allowed: ReadonlySet<string>;
  readonly #names = new Set<string>();
  #forms: readonly Form[] = [];

  /** @param allowed Names that the document or the node type mentions. */
  constructor(source: SecretSource | undefined, allowed: ReadonlySet<string>) {
    this.#source = source;
    this.#allowed = allowed;
  }

  open = async (name: string): Promise<string> => {
    if (!this.#allowed.has(name)) throw notNamed(name);
    const value: unknown = await this.#source?.get(name);
    // A source that reads an object has members such as "constructor" too.
    if (typeof value !== "string") throw missing(name);
    this.#hide(name, value);
    return value;
  };

  /** Returns a value in which each secret is replaced by its name. */
  scrub(value: unknown): unknown {
    return this.#forms.length === 0 ? value : this.#scrubbed(value);
  }

  /** Removes secrets from an error. A thrown value that is no error is replaced. */
  scrubError(thrown: unknown, depth = 0): unknown {
    if (this.#forms.length === 0 || depth > MOST_CAUSES) return thrown;
    if (!(thrown instanceof Error)) return this.scrub(thrown);
    // Libraries freeze errors, or define their members by getters.
    for (const name of ["name", "message", "stack", "code"] as const) {
      const text: unknown = Reflect.get(thrown, name);
      const clean = typeof text === "string" ? this.#cleaned(text) : text;
      if (clean === text || replaced(thrown, name, clean)) continue;
      return new Error(this.#cleaned(thrown.message));
    }
    if (thrown.cause === undefined) return thrown;
    const cause = this.scrubError(thrown.cause, depth + 1);
    if (cause !== thrown.cause && !replaced(thrown, "cause", cause)) {
      return new Error(thrown.message);
    }
    return thrown;
  }

  /** A logger whose lines have no secrets. */
  logger(log: Logger): Logger {
    const clean =
      (level: keyof Logger) =>
      (message: string, fields?: object): void => {
        const text = this.#cleaned(message);
        if (fields === undefined) log[level](text);
        else log[level](text, this.#scrubbedFields(fields));
      };
    return {
      debug: clean("debug"),
      info: clean("info"),
      warn: clean("warn"),
      error: clean("error"),
    };
  }

  #hide(name: string, value: string): void {
    if (this.#names.has(name) || Buffer.byteLength(value) < SHORTEST_BYTES) return;
    this.#names.add(name);
    const added = formsOf(value).map((text) => ({ text, name }));
    // Longer forms first, since a shorter one may be part of them.
    this.#forms = [...this.#forms, ...added].toSorted((a, b) => b.text.length - a.text.length);
  }

  #scrubbedFields(fields: object): object {
    const clean = fields instanceof Error ? this.scrubError(fields) : this.scrub(fields);
    return typeof clean === "object" && clean !== null ? clean : { value: clean };
  }

  #scrubbed(value: unknown, depth = 0): unknown {
    if (depth > DEEPEST) {
      throw new RangeError(`The value is circular, or nested more than ${DEEPEST} levels deep.`);
    }
    if (typeof value === "string") return this.#cleaned(value);
    if (typeof value === "number" || typeof value === "bigint") {
      const clean = this.#cleaned(String(value));
      return clean === String(value) ? value : clean;
    }
    if (Array.isArray(value)) return value.map((item) => this.#scrubbed(item, depth + 1));
    if (value instanceof Error) return this.scrubError(value);
    if (!isObject(value)) return value;
    const { toJSON } = value;
    if (typeof toJSON === "function") {
      return this.#scrubbed((toJSON as () => unknown).call(value), depth + 1);
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        this.#cleaned(name),
        this.#scrubbed(member, depth + 1),
      ]),
    );
  }

  #cleaned(text: string): string {
    let clean = text;
    // A function, since "$&" in a name would stand for the secret.
    for (const { text: form, name } of this.#forms) {
      clean = clean.replaceAll(form, () => `[secret ${name}]`);
    }
    return clean;
  }
}

interface Form {
  readonly text: string;
  readonly name: string;
}

/** The texts as which a value is found: itself, in JSON, in URLs and forms, and in base64 with anything around it. */
function formsOf(value: string): string[] {
  const inUrl = encodeURIComponent(value);
  const forms = new Set([
    value,
    JSON.stringify(value).slice(1, -1),
    inUrl,
    inUrl.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
    encodeURI(value),
    new URLSearchParams({ "": value }).toString().slice(1),
    ...base64FormsOf(value),
  ]);
  return [...forms];
}

/**
 * Base64 has three forms for the same bytes, by the number of bytes before them, such as `user:` in an Authorization
 * header. The characters at the ends, which have bits of the bytes around, are left out.
 */
function base64FormsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((padded.length * 8) / 6);
    return [
      padded.toString("base64").slice(first, last),
      padded.toString("base64url").slice(first, last),
    ];
  });
}

/** Returns whether the member of an error could be replaced. */
function replaced(error: Error, name: string, value: unknown): boolean {
  return Reflect.defineProperty(error, name, {
    value,
    configurable: true,
    writable: true,
    enumerable: Object.prototype.propertyIsEnumerable.call(error, name),
  });
}
