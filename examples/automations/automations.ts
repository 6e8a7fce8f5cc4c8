/** The requests of the page on which customers build automations. */
import type { Incident } from "./app.ts";
import type { Rest } from "./rest.ts";

/** An error of the database. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly detail: string | undefined;
}

/** The answer to "why didn't it run?". */
export interface Explained {
  readonly verdict: string;
  readonly reason: string;
  readonly runId: string | null;
  readonly conditions: readonly {
    readonly text: string;
    readonly holds: boolean | null;
    readonly values: Readonly<Record<string, string>>;
  }[];
}

interface Document {
  readonly name: string;
}

interface KeptEvent {
  readonly eventId: string;
  readonly state: string;
  readonly message: Incident;
}

export class Automations {
  readonly #rest: Rest;

  constructor(rest: Rest) {
    this.#rest = rest;
  }

  /** Whether a worker has registered node types; undefined if not. */
  async hasTypes(): Promise<true | undefined> {
    const [{ nodeTypes }, resources] = await Promise.all([
      this.#rest.call<{ nodeTypes: unknown[] }>("GET", "/v1/catalog"),
      this.#rest.call<{ types: { schema: unknown }[] }>("GET", "/v1/resource-types"),
    ]);
    return nodeTypes.length > 0 && resources.types.some(({ schema }) => schema !== null)
      ? true
      : undefined;
  }

  /** Checks a document that isn't saved, as an editor does on each change. */
  async problems(document: Document): Promise<string[]> {
    const { problems } = await this.#rest.call<{ problems: { message: string }[] }>(
      "POST",
      `/v1/definitions/${document.name}/validate`,
      { document },
    );
    return problems.map(({ message }) => message);
  }

  /** Creates a definition, and publishes its draft. */
  async publish(document: Document): Promise<number> {
    const { name } = document;
    const { revision } = await this.#rest.call<{ revision: number }>("POST", "/v1/definitions", {
      name,
      document,
    });
    const { version } = await this.#rest.call<{ version: number }>(
      "POST",
      `/v1/definitions/${name}/publish`,
      {},
      { "if-match": `"${revision}"` },
    );
    return version;
  }

  /** True once as many runs have completed. */
  async hasCompleted(count: number): Promise<true | undefined> {
    const { runs } = await this.#rest.call<{ runs: { status: string }[] }>(
      "GET",
      "/v1/workflows/page-on-major/runs",
    );
    return runs.filter(({ status }) => status === "completed").length >= count ? true : undefined;
  }

  /** Explains the first event that matches, once it is evaluated. */
  async explain(matches: (message: Incident) => boolean): Promise<Explained | undefined> {
    const { events } = await this.#rest.call<{ events: KeptEvent[] }>(
      "GET",
      "/v1/trigger-events?definition=page-on-major",
    );
    const event = events.find(({ message }) => matches(message));
    if (event?.state !== "evaluated") return undefined;
    const { triggers } = await this.#rest.call<{ triggers: Explained[] }>(
      "POST",
      "/v1/definitions/page-on-major/explain",
      { eventId: event.eventId },
    );
    return triggers[0];
  }

  /** The definitions that keep a resource from being deleted. */
  async ownersOf(type: string, id: string): Promise<string[]> {
    const { owners } = await this.#rest.call<{ owners: { ownerId: string; protects: boolean }[] }>(
      "GET",
      `/v1/references/${type}/${id}`,
    );
    return [...new Set(owners.filter(({ protects }) => protects).map(({ ownerId }) => ownerId))];
  }
}
