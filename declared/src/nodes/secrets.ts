/** Secrets of the worker, and their removal from what is journaled. */
import { isObject } from "../document/json.ts";

/** Where a worker keeps secrets: the environment, a vault. */
export interface SecretSource {
  /** Rejects, or returns undefined, if there is no such secret. */
  readonly get: (name: string) => string | undefined | PromiseLike<string | undefined>;
}

/** A secret that the worker doesn't have. A later attempt may find it. */
class SecretMissing extends Error {
  readonly code = "SECRET_MISSING";

  constructor(name: string) {
    super(`There is no secret "${name}": give it to the workers of this pool.`);
    this.name = "SecretMissing";
  }
}

/** Shorter values would remove parts of ordinary text. */
const SHORTEST = 8;

/** The secrets that one call has opened. */
export class OpenedSecrets {
  readonly #source: SecretSource | undefined;
  readonly #values = new Map<string, string>();

  constructor(source: SecretSource | undefined) {
    this.#source = source;
  }

  open = async (name: string): Promise<string> => {
    const value = await this.#source?.get(name);
    if (value === undefined) throw new SecretMissing(name);
    this.#values.set(name, value);
    return value;
  };

  /** Returns a value in which each secret, also in base64 and in URLs, is replaced by its name. */
  scrub(value: unknown): unknown {
    const found = this.#forms();
    return found.length === 0 ? value : scrubbed(value, found);
  }

  scrubText(text: string): string {
    return withoutSecrets(text, this.#forms());
  }

  #forms(): readonly Form[] {
    return [...this.#values].flatMap(([name, value]) =>
      value.length < SHORTEST ? [] : formsOf(value).map((text) => ({ text, name })),
    );
  }
}

interface Form {
  readonly text: string;
  readonly name: string;
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const forms = new Set([
    value,
    bytes.toString("base64"),
    bytes.toString("base64url"),
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
  ]);
  // Longer forms first, since a shorter one may be part of them.
  return [...forms].toSorted((a, b) => b.length - a.length);
}

function scrubbed(value: unknown, forms: readonly Form[]): unknown {
  if (typeof value === "string") return withoutSecrets(value, forms);
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, forms));
  if (!isObject(value)) return value;
  if ("toJSON" in value && typeof value["toJSON"] === "function") {
    return scrubbed(JSON.parse(JSON.stringify(value)), forms);
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      withoutSecrets(name, forms),
      scrubbed(member, forms),
    ]),
  );
}

function withoutSecrets(text: string, forms: readonly Form[]): string {
  let clean = text;
  for (const form of forms) clean = clean.replaceAll(form.text, `[secret ${form.name}]`);
  return clean;
}
