/**
 * Secrets of the worker, and their removal from what is journaled or logged.
 *
 * Gives up: a value that the handler has transformed in another way than those below, or cut into pieces, isn't found.
 */
import type { Logger } from "@oxbow/sdk/runtime";
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
const DEEPEST = 500;
/** More than loggers show. A request leads to its socket, its agent, and their whole process. */
const DEEPEST_IN_ERRORS = 8;
const CUT_OFF = "[removed]";
/** Also where a class has them. */
const MEMBERS_OF_ERRORS = ["name", "message", "stack", "code", "cause"];

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

  /**
   * Removes secrets from an error and its causes, which stay the same objects. Values of their other members, such as a
   * request, are replaced by copies. A thrown value that is no error is replaced.
   */
  scrubError(thrown: unknown): unknown {
    if (this.#forms.length === 0) return thrown;
    return thrown instanceof Error ? this.#scrubbedError(thrown) : this.scrub(thrown);
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
    const clean = this.scrub(fields);
    return typeof clean === "object" && clean !== null ? clean : { value: clean };
  }

  #scrubbedError(error: Error, depth = 0, copies: Copies = new Map()): Error {
    copies.set(error, error);
    try {
      for (const name of new Set([...MEMBERS_OF_ERRORS, ...Reflect.ownKeys(error)])) {
        const value: unknown = Reflect.get(error, name);
        const isCause = name === "cause" && value instanceof Error && !copies.has(value);
        const clean =
          isCause && depth < DEEPEST_IN_ERRORS
            ? this.#scrubbedError(value, depth + 1, copies)
            : this.#scrubbed(value, depth + 1, copies);
        if (clean !== value && !replaced(error, name, clean)) return this.#messageOf(error);
      }
      return error;
    } catch {
      // A getter, or a toJSON.
      return this.#messageOf(error);
    }
  }

  #messageOf({ message }: Error): Error {
    return new Error(this.#cleaned(message));
  }

  /** @param copies Of the values in an error, which may be circular, and are cut off rather than refused. */
  #scrubbed(value: unknown, depth = 0, copies?: Copies): unknown {
    if (typeof value === "string") return this.#cleaned(value);
    if (typeof value === "number" || typeof value === "bigint") {
      const clean = this.#cleaned(String(value));
      return clean === String(value) ? value : clean;
    }
    if (typeof value !== "object" || value === null) return value;
    if (copies === undefined) {
      if (depth <= DEEPEST) return this.#copied(value, depth);
      throw new RangeError(`The value is circular, or nested more than ${DEEPEST} levels deep.`);
    }
    const known = copies.get(value);
    if (known !== undefined || depth > DEEPEST_IN_ERRORS) return known ?? CUT_OFF;
    copies.set(value, CUT_OFF);
    const copy = this.#copied(value, depth, copies);
    copies.set(value, copy);
    return copy;
  }

  #copied(value: object, depth: number, copies?: Copies): unknown {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#scrubbed(item, depth + 1, copies));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    // The handler may still use an error that it has logged.
    if (value instanceof Error) return this.#scrubbedError(copyOf(value), copies && depth, copies);
    // Every byte would be a number to compare.
    if (copies !== undefined && ArrayBuffer.isView(value)) return CUT_OFF;
    const { toJSON } = value as { readonly toJSON?: unknown };
    if (typeof toJSON === "function") {
      return this.#scrubbed((toJSON as () => unknown).call(value), depth + 1, copies);
    }
    const members = Object.entries(value).map(
      ([name, member]) => [this.#cleaned(name), this.#scrubbed(member, depth + 1, copies)] as const,
    );
    // A member that is read-only, such as the issues of zod, stays if it has no secret.
    const isClean =
      isPlain(value) && members.every(([name, member]) => Reflect.get(value, name) === member);
    return isClean ? value : Object.fromEntries(members);
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

/** Has no members that `Object.entries` overlooks. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null) &&
    Reflect.ownKeys(value).length === Object.keys(value).length
  );
}

/** Copies by original; in place of one that is being made, a text that cuts a circle off. */
type Copies = Map<object, unknown>;

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

/** A copy of an error and its causes, of the same class. */
function copyOf(error: Error, depth = 0): Error {
  const prototype: unknown = Object.getPrototypeOf(error);
  const copy = Object.create(prototype as object, Object.getOwnPropertyDescriptors(error)) as Error;
  for (const name of MEMBERS_OF_ERRORS) {
    // Getters, as that of the stack in newer versions of V8, know only the error itself.
    const value: unknown = Reflect.get(error, name);
    if (value !== undefined) replaced(copy, name, value);
  }
  const { cause } = error;
  if (cause instanceof Error && depth < DEEPEST_IN_ERRORS) {
    replaced(copy, "cause", copyOf(cause, depth + 1));
  }
  return copy;
}

/** Returns whether the member of an error could be replaced. */
function replaced(error: Error, name: string | symbol, value: unknown): boolean {
  return Reflect.defineProperty(error, name, {
    value,
    configurable: true,
    writable: true,
    enumerable: Object.prototype.propertyIsEnumerable.call(error, name),
  });
}
