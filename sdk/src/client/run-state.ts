/** Runs as clients see them: with their values decoded. */
import { type Codec, decodeInput } from "../core/codec.ts";
import type { RunGeneration, RunState, RunSummary } from "../protocol/run-shapes.ts";
import type { RunListing, RunRecord } from "../protocol/runs.ts";

export const toState = (
  { hasInput: _hasInput, hasOutput: _hasOutput, ...run }: RunRecord,
  codec: Codec | undefined,
): RunState => ({
  ...run,
  input: decodeInputOf(run, codec),
  output: decode(run.output, codec),
});

export function toSummary(
  { input, output, cursor: _cursor, ...run }: RunListing,
  codec: Codec | undefined,
  withValues: boolean,
): RunSummary {
  if (!withValues) return run;
  const { failureOf } = run;
  return {
    ...run,
    input: decodeInputOf({ input, failureOf }, codec),
    output: decode(output, codec),
  };
}

export const toGeneration = (
  generation: RunGeneration,
  failureOf: string | null,
  codec: Codec | undefined,
): RunGeneration => ({
  ...generation,
  input: decodeInputOf({ input: generation.input, failureOf }, codec),
});

const decodeInputOf = (
  { input, failureOf }: Pick<RunListing, "input" | "failureOf">,
  codec: Codec | undefined,
): unknown =>
  codec === undefined || input === null ? input : decodeInput(codec, input, failureOf !== null);

const decode = (value: unknown, codec: Codec | undefined): unknown =>
  codec === undefined || value === null ? value : codec.decode(value);
