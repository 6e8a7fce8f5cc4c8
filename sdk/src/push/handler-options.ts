/** The options of a handler, and their limits. */
import type { Codec } from "../core/codec.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";
import { environment, isNextBuild } from "../core/host.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import type { Logger } from "../definition/context.ts";
import type { Workflow } from "../definition/workflow.ts";
import { checkSigningKeys } from "../protocol/lease-token.ts";
import { secretsIn } from "../protocol/signed-token.ts";

export interface HandlerOptions {
  /** The workflows to serve, with any number of versions of one name. */
  readonly workflows: readonly Workflow[];
  /**
   * How long the platform lets one request take, from 2 seconds to 12 hours: on Vercel `maxDuration`, on Lambda the timeout of
   * the function. A second before, a run that isn't over is given back, and continues in the next request. Default "60s".
   */
  readonly maxDuration?: Duration | undefined;
  /**
   * The secret that the server signs with, of at least 32 characters; several while it is rotated. Default:
   * `OXBOW_SIGNING_KEY`. A development machine needs no key.
   */
  readonly signingKey?: string | readonly string[] | undefined;
  /**
   * `postgres://…`: commits go straight to the database rather than through the server, and `step.tx` works. Only on Node.
   */
  readonly url?: string | undefined;
  /** Gets the lines of `ctx.log`, and a line for each event of a run. False: no output. */
  readonly logger?: Logger | false | undefined;
  /** Encodes journaled values; must match the client's codec. Default: plain JSON. */
  readonly codec?: Codec | undefined;
}

const HANDLER_OPTIONS: OptionNames<HandlerOptions> = {
  workflows: true,
  maxDuration: true,
  signingKey: true,
  url: true,
  logger: true,
  codec: true,
};

const SHORTEST_MS = 2_000;
const LONGEST_MS = 43_200_000;
/** Variables that platforms set where a function is public. */
const PLATFORMS = ["VERCEL", "AWS_LAMBDA_FUNCTION_NAME", "NETLIFY", "K_SERVICE", "FLY_APP_NAME"];

/** @throws InvalidArgument */
export function readHandlerOptions(options: HandlerOptions): {
  readonly maxDurationMs: number;
  /** Without one, only requests of this machine are answered. */
  readonly signingKeys: readonly string[];
} {
  checkOptions(options, HANDLER_OPTIONS, "createHandler()");
  const { maxDuration = "60s", signingKey, url } = options;
  const maxDurationMs = parseDuration(maxDuration, "the maxDuration of a handler");
  if (!(maxDurationMs >= SHORTEST_MS && maxDurationMs <= LONGEST_MS)) {
    throw new InvalidArgument(
      `Invalid maxDuration ${JSON.stringify(maxDuration)}: give 2 seconds to 12 hours, as long as the platform lets a request take.`,
    );
  }
  if (url !== undefined && !/^postgres(ql)?:/i.test(url)) {
    throw new InvalidArgument(
      `Invalid url of a handler, which begins with "${url.slice(0, 12)}": give postgres://…, or leave it out to commit through the server.`,
    );
  }
  const { OXBOW_SIGNING_KEY, NODE_ENV, ...others } = environment();
  const keys = signingKey ?? secretsIn(OXBOW_SIGNING_KEY);
  const signingKeys = checkSigningKeys(typeof keys === "string" ? [keys] : keys);
  const platform = PLATFORMS.find((name) => (others[name] ?? "") !== "");
  const isPublic = NODE_ENV === "production" || platform !== undefined;
  if (signingKeys.length === 0 && isPublic) {
    // A key that no server has: what a build evaluates answers no request.
    if (isNextBuild()) return { maxDurationMs, signingKeys: [crypto.randomUUID()] };
    throw new InvalidArgument(
      `A handler in production (${platform ?? "NODE_ENV=production"}) needs a key, or anyone could call it: set OXBOW_SIGNING_KEY, here and on the server, to a secret such as \`openssl rand -hex 32\` makes.`,
    );
  }
  return { maxDurationMs, signingKeys };
}
