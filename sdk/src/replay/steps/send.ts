import { InvalidArgument } from "../../core/errors.ts";
import { toJournal } from "../../core/json.ts";
import { checkEventName } from "../../core/names.ts";
import type { StepEffect } from "../../protocol/commit.ts";
import type { StepHost } from "./asked-step.ts";
import { InstantStep } from "./instant.ts";

/** `step.signal` and `step.publish`: the database sends in the transaction that journals the step. */
export const sendStep = (
  host: StepHost,
  effect: Send<"signal" | "publish">,
): InstantStep<undefined> =>
  new InstantStep(host, { name: effect.step, kind: effect.kind, effect }, undefined);

type Send<Kind> = Extract<StepEffect, { kind: Kind }>;

const MAX_RUN_ID = 8_796_093_022_207;

export function toSignal(
  step: string,
  runId: string,
  event: string,
  payload: unknown,
): Send<"signal"> {
  if (typeof runId !== "string" || !/^\d{1,13}$/.test(runId) || Number(runId) > MAX_RUN_ID) {
    throw new InvalidArgument(
      `Invalid run id ${JSON.stringify(runId)} in step "${step}": a run id is digits in a string, as start() returns it.`,
    );
  }
  checkEventName(event);
  const { text } = toJournal(payload, `the payload of step "${step}"`);
  return { kind: "signal", step, runId, event, ...(text === undefined ? {} : { payload: text }) };
}

export function toPublication(step: string, topic: string, message: unknown): Send<"publish"> {
  if (typeof topic !== "string" || !/^[^\s*#.]+(\.[^\s*#.]+)*$/.test(topic)) {
    throw new InvalidArgument(
      `Invalid topic ${JSON.stringify(topic)} in step "${step}": give words split by ".", without white space, "*" and "#".`,
    );
  }
  const { text } = toJournal(message, `the message of step "${step}"`);
  if (text === undefined) {
    throw new InvalidArgument(`Step "${step}" publishes nothing: give it a message.`);
  }
  return { kind: "publish", step, topic, message: text };
}
