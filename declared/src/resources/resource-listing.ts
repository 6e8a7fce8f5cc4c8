/**
 * Lists resources for pickers. The workflow that a caller runs for it, in one step, calls the `list` of the application.
 * A `list` that fails is an answer, not a failed run: nobody has to look into it.
 */
import {
  type ListingInput,
  type ListingOutput,
  listingWorkflow,
  unlessAborted,
  withLinkedSignal,
} from "@oxbow/sdk/internal";
import { workflow, type Workflow } from "@oxbow/sdk/runtime";
import type { DefinedResource, ListResources } from "./resource-type.ts";

/** Less than the caller waits. */
const LIST_MS = 4_000;
const LONGEST_ID = 256;
const LONGEST_TITLE = 500;
const LONGEST_CURSOR = 1_000;

/** The workflow that lists the resources of a type; undefined if the application doesn't. */
export function listingOf(
  pool: string,
  { type, list }: Pick<DefinedResource, "type" | "list">,
): Workflow | undefined {
  if (list === undefined) return undefined;
  return workflow({
    name: listingWorkflow(pool, type),
    run: (ctx, input: ListingInput) =>
      ctx.step.run("list", (signal) => answer(list, input, signal), { retry: { attempts: 1 } }),
  });
}

async function answer(
  list: ListResources,
  { text, after, limit, scope }: ListingInput,
  signal: AbortSignal,
): Promise<ListingOutput> {
  try {
    const page = await withLinkedSignal(
      [signal],
      (linked) => {
        const query = { text, limit, ...(after === null ? {} : { after }), scope: scope ?? {} };
        return unlessAborted(Promise.resolve(list(query, { signal: linked })), linked);
      },
      { ms: LIST_MS, reason: new Error(`\`list\` took longer than ${LIST_MS / 1_000} seconds.`) },
    );
    return checked(page, limit);
  } catch (error) {
    // Another worker may repeat it.
    if (signal.aborted) throw error;
    return { failure: error instanceof Error ? error.message : String(error) };
  }
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
  if (next !== undefined && (typeof next !== "string" || next.length > LONGEST_CURSOR)) {
    throw new Error(
      `\`list\` returned a \`next\` that isn't a text of at most ${LONGEST_CURSOR} characters.`,
    );
  }
  return {
    resources: page.resources.map(({ id, title }) => {
      if (typeof id !== "string" || id.length === 0 || id.length > LONGEST_ID) {
        throw new Error(
          `\`list\` returned a resource with the id ${JSON.stringify(id)?.slice(0, 100)}: an id is a text of 1 to ${LONGEST_ID} characters.`,
        );
      }
      return { id, title: (typeof title === "string" ? title : id).slice(0, LONGEST_TITLE) };
    }),
    next: next ?? null,
  };
}
