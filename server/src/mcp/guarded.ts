/** Tools that change several objects: they count first, and act once the call is confirmed. */
import { Type } from "typebox";
import { nonEmpty } from "../http/schemas.ts";
import type { Confirmation, Counted, GuardedCall } from "./confirmations.ts";
import type { Operator } from "./tool.ts";

/** Ends the description of each of them. */
export const TWICE =
  "The first call changes nothing: it returns the count, a sample and a confirmation token. The second call with the same arguments and the token acts.";

/** Objects that a call may name. */
export const MOST_NAMED = 100;
/** Objects that an answer shows. */
export const SAMPLE = 5;

/** The argument of each of them. */
export const ConfirmationArgument = Type.Optional(
  nonEmpty(
    2_000,
    "The token of the result of a first call with the same arguments. Leave it out at first: nothing is then changed.",
  ),
);

/** The answer to a first call: what a second one would change. */
export class Proposal {
  readonly result: object;
  readonly confirmation: Confirmation | undefined;

  constructor(result: object, confirmation: Confirmation | undefined) {
    this.result = result;
    this.confirmation = confirmation;
  }
}

/** What a call would change. */
export interface Selection extends Counted {
  readonly sample: readonly object[];
  /** Whether more match than one call changes. */
  readonly hasMore: boolean;
}

interface Guarded<Found extends Selection> {
  readonly tool: string;
  readonly input: { readonly confirmation?: string | undefined };
  /** @param end Where the selection of the first call ends. */
  readonly select: (end: Date | undefined) => Promise<Found>;
  /** Changes exactly these objects. */
  readonly act: (selection: Found) => Promise<object>;
}

export async function confirmed<Found extends Selection>(
  { tool, input: { confirmation, ...input }, select, act }: Guarded<Found>,
  { confirmations, subject }: Operator,
): Promise<object> {
  const call: GuardedCall = { tool, subject, input };
  if (confirmation === undefined) return propose(await select(undefined), "Nothing was changed.");
  const selection = await select(await confirmations.endOf(confirmation, call));
  const { isSame, count } = await confirmations.accept(confirmation, call, selection);
  if (isSame) return act(selection);
  return propose(
    await select(undefined),
    `Nothing was changed, because the selection has: ${count} were counted before.`,
  );

  async function propose(found: Selection, outcome: string): Promise<Proposal> {
    const { sample, hasMore } = found;
    return new Proposal(
      { changed: 0, outcome, count: found.count, hasMore, sample },
      found.count === 0 ? undefined : await confirmations.issue(call, found),
    );
  }
}
