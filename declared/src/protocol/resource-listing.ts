/**
 * Asks workers for resources of a type. What lists them is code of the application, so the request is a run of a workflow
 * that the workers which know the type serve; see decision 0062. Promises:
 *
 *   L1  The answer comes within 5 seconds, or the request fails with `ResourcesNotListed`; its run is cancelled then.
 *   L2  A `list` that fails isn't a failed run: the run completes with the reason.
 */
import { createHash } from "node:crypto";
import {
  DefinitionNotFound,
  RESERVED_PREFIX,
  ResourcesNotListed,
  type RunRecord,
  type RunTransport,
  toStorableText,
  withLinkedSignal,
} from "@oxbow/sdk/internal/rooms";
import { type Codec } from "@oxbow/sdk";
import type { DefinitionTransport } from "./definitions.ts";
import type { ResourceListRequest, ResourcePage, ResourceTransport } from "./resources.ts";

/** Limits of a request for a page of resources. */
export const RESOURCE_LIST = {
  defaultLimit: 20,
  largestLimit: 100,
  /** Characters of a search, and of a cursor. */
  longestText: 1_000,
} as const;

const ANSWER_WITHIN_MS = 5_000;

/** The input of a run that lists resources. */
export interface ListingInput extends Omit<ResourceListRequest, "definition" | "after"> {
  readonly after: string | null;
  /** Scope of the definition; null without one. */
  readonly scope: Readonly<Record<string, unknown>> | null;
}

/** The output of a run that lists resources. */
export type ListingOutput = ResourcePage | { readonly failure: string };

/** Transports that reach the workers. */
export interface ListingTransport {
  readonly resources: Pick<ResourceTransport, "startList">;
  readonly definitions: Pick<DefinitionTransport, "get">;
  readonly runs: Pick<RunTransport, "awaitEnd" | "cancel">;
}

/** Key of the workers' codec, if they have one. */
interface ListingOptions {
  readonly codec?: Codec | undefined;
  readonly signal?: AbortSignal;
}

/** The name of the workflow that lists the resources of a type. `queue._listing_workflow()` derives it alike. */
export function listingWorkflow(type: string): string {
  const readable = type.replaceAll(/[^A-Za-z0-9]/gu, "-").toLowerCase();
  const unique = createHash("sha256").update(type).digest("hex");
  return `${RESERVED_PREFIX}${readable.slice(0, 14)}-${unique.slice(0, 12)}`;
}

/** @throws ResourcesNotListed; InvalidArgument for a type that isn't listed; DefinitionNotFound */
export async function listResources(
  { resources, definitions, runs }: ListingTransport,
  { definition, after, ...request }: ResourceListRequest,
  { codec, signal }: ListingOptions = {},
): Promise<ResourcePage> {
  const { type } = request;
  const found = definition === undefined ? undefined : await definitions.get(definition);
  if (definition !== undefined && found === undefined) {
    throw new DefinitionNotFound(`There is no definition "${definition}".`);
  }
  const scope = (found?.scope ?? null) as ListingInput["scope"];
  const input: ListingInput = { ...request, after: after ?? null, scope };
  const runId = await resources.startList(
    type,
    toStorableText(codec?.encode(input) ?? input, "the request for resources"),
  );
  const late = new ResourcesNotListed(
    `No worker has listed resources of type "${type}" within ${ANSWER_WITHIN_MS / 1_000} seconds. Start one, or enter the id.`,
    { facts: { type } },
  );
  const run = await withLinkedSignal([signal], (linked) => runs.awaitEnd(runId, linked), {
    ms: ANSWER_WITHIN_MS,
    reason: late,
  }).catch(async (error: unknown) => {
    // A worker that is late need not begin.
    await runs.cancel(runId, { reason: undefined, rollback: false }).catch(() => {});
    throw error;
  });
  return pageOf(run, type, codec);
}

function pageOf(run: RunRecord | undefined, type: string, codec: Codec | undefined): ResourcePage {
  const failed = (why: string): ResourcesNotListed =>
    new ResourcesNotListed(`Resources of type "${type}" could not be listed: ${why}`, {
      facts: { type },
    });
  if (run?.status !== "completed") throw failed(run?.error?.message ?? "the request was removed.");
  const output = (
    codec === undefined ? run.output : codec.decode(run.output)
  ) as Partial<ListingOutput> | null;
  if (output !== null && "failure" in output && output.failure !== undefined) {
    throw failed(output.failure);
  }
  if (output !== null && "resources" in output && Array.isArray(output.resources)) {
    return { resources: output.resources, next: output.next ?? null };
  }
  throw failed("its workers have a codec, which this caller lacks. List them by a client with it.");
}
