import { type Codec, encodeInput } from "../core/codec.ts";
import { InvalidArgument } from "../core/errors.ts";
import { type JsonText, toJournal } from "../core/json.ts";
import { checkOptions, type OptionNames } from "../core/options.ts";
import type { ContinueAsNewOptions } from "../definition/continue-as-new.ts";
import { isVersion, MAX_VERSION } from "../definition/define-workflow.ts";

const CONTINUE_OPTIONS: OptionNames<ContinueAsNewOptions> = { version: true };

export interface GenerationFacts {
  readonly runId: string;
  readonly workflow: string;
  readonly codec: Codec | undefined;
  readonly isFailureHandler: boolean;
}

/** What `ctx.continueAsNew` returns: the body returns it to begin the next generation of its run. */
export class NextGeneration {
  readonly input: JsonText | undefined;
  readonly version: number | undefined;

  /** @throws InvalidArgument for an invalid version; SerializationError if JSON can't represent the input. */
  constructor(facts: GenerationFacts, input: unknown, options: ContinueAsNewOptions = {}) {
    const { runId, workflow, codec, isFailureHandler } = facts;
    checkOptions(options, CONTINUE_OPTIONS, `continueAsNew() of run ${runId}`);
    const { version } = options;
    if (version !== undefined && !isVersion(version)) {
      throw new InvalidArgument(
        `Invalid version ${String(version)} for the next generation of run ${runId}: give a whole number from 1 to ${MAX_VERSION}.`,
      );
    }
    const encoded = codec === undefined ? input : encodeInput(codec, input, isFailureHandler);
    this.input = toJournal(
      encoded,
      `the input of the next generation of workflow "${workflow}"`,
    ).text;
    this.version = version;
    Object.freeze(this);
  }
}
