/**
 * Lists resources for pickers. The workflow that a caller runs for it, in one step, calls the `list` of the application.
 * A `list` that fails is an answer, not a failed run: nobody has to look into it.
 */
import {
  type ListingInput,
  type ListingOutput,
  listingWorkflow,
  RESOURCE_LIST,
} from "../protocol/resource-listing.ts";
import { storable } from "../document/storable.ts";
import { unlessAborted, withLinkedSignal } from "@oxbow/sdk/internal/declared";
import { workflow, type Workflow } from "@oxbow/sdk/runtime";
import type { DefinedResource, ListResources, ResourceQuery } from "./resource-type.ts";

/** Less than the caller waits. */
const LIST_MS = 4_000;
const LONGEST_ID = 256;
const LONGEST_TITLE = 500;
const LONGEST_FAILURE = 1_000;

/** The workflow that lists the resources of a type; undefined if the application doesn't. */
export function listingOf({
  type,
  list,
}: Pick<DefinedResource, "type" | "list">): Workflow | undefined {
  if (list === undefined) return undefined;
  return workflow({
    name: listingWorkflow(type),
    run: (ctx, input: ListingInput) =>
      ctx.step.run("list", (signal) => answer(list, input, signal), { retry: { attempts: 1 } }),
  });
}

async function answer(
  list: ListResources,
  input: ListingInput,
  signal: AbortSignal,
): Promise<ListingOutput> {
  try {
    const query = queryOf(input);
    const page = await withLinkedSignal(
      [signal],
      (linked) => unlessAborted(Promise.resolve(list(query, { signal: linked })), linked),
      { ms: LIST_MS, reason: new Error(`\`list\` took longer than ${LIST_MS / 1_000} seconds.`) },
    );
    return checked(page, query.limit);
  } catch (error) {
    // Another worker may repeat it.
    if (signal.aborted) throw error;
    return { failure: beginning(messageOf(error), LONGEST_FAILURE) };
  }
}

/** Callers check their requests, but the database takes any input. @throws Error that names what `list` can't take. */
function queryOf({ text, after, limit, scope }: ListingInput): ResourceQuery {
  if (
    !isText(text, RESOURCE_LIST.longestText) ||
    !(after === null || isText(after, RESOURCE_LIST.longestText))
  ) {
    throw new Error(
      `The request has a text that isn't one of at most ${RESOURCE_LIST.longestText} characters.`,
    );
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > RESOURCE_LIST.largestLimit) {
    throw new Error(
      `The request has a limit that isn't a whole number from 1 to ${RESOURCE_LIST.largestLimit}.`,
    );
  }
  if (typeof scope !== "object" || Array.isArray(scope)) {
    throw new TypeError("The request has a scope that isn't an object.");
  }
  return { text, limit, ...(after === null ? {} : { after }), scope: scope ?? {} };
}

/** @throws Error that names what can't be shown. */
function checked(page: Awaited<ReturnType<ListResources>>, limit: number): ListingOutput {
  const { resources, next } = page;
  if (!Array.isArray(resources)) throw new Error("`list` returned no array `resources`.");
  if (resources.length > limit) {
    throw new Error(
      `\`list\` returned ${resources.length} resources, and at most ${limit} were asked for.`,
    );
  }
  if (next !== undefined && !(isText(next, RESOURCE_LIST.longestText) && isStorable(next))) {
    throw new Error(
      `\`list\` returned a \`next\` that isn't a text of at most ${RESOURCE_LIST.longestText} characters that Postgres can store.`,
    );
  }
  return {
    resources: page.resources.map(({ id, title }) => {
      if (!isText(id, LONGEST_ID) || id.length === 0 || !isStorable(id)) {
        throw new Error(
          `\`list\` returned a resource with the id ${JSON.stringify(id)?.slice(0, 100)}: an id is a text of 1 to ${LONGEST_ID} characters that Postgres can store.`,
        );
      }
      return { id, title: beginning(typeof title === "string" ? title : id, LONGEST_TITLE) };
    }),
    next: next ?? null,
  };
}

const isText = (value: unknown, longest: number): value is string =>
  typeof value === "string" && value.length <= longest;

function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "`list` failed with an error that has no text.";
  }
}

const isStorable = (text: string): boolean => storable(text) === text;

const beginning = (text: string, longest: number): string =>
  storable(
    Array.from(text.slice(0, 2 * longest))
      .slice(0, longest)
      .join(""),
  );
