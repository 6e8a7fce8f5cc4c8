/** Answers clients of SQS, in both protocols, at the root and at the urls of queues. */
import type { Transport } from "@oxbow/sdk/internal/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { randomUUID } from "node:crypto";
import type { AccessKey } from "../http/access-keys.ts";
import type { App } from "../http/app.ts";
import { receiveForClient } from "../http/receive-for-client.ts";
import { includesScope } from "../http/scopes.ts";
import { SignatureFailure, SignatureVerifier } from "../http/sigv4.ts";
import type { Action, SqsContext } from "./action.ts";
import { ACTIONS } from "./actions/table.ts";
import { SqsError, type SqsErrorName, toSqsError } from "./errors.ts";
import type { ActionName } from "./model.ts";
import { KnownQueues, SQS } from "./queues.ts";
import { protocolOf } from "./protocol.ts";
import { validate } from "./validate.ts";

export interface SqsOptions {
  readonly transport: Transport;
  /** Keys that sign requests. Without any, and without tokens, a server answers this machine by any signature. */
  readonly accessKeys: readonly AccessKey[];
  /** Whether anyone who reaches the server may use it. */
  readonly isOpen: boolean;
  /** Begins the urls of queues. Default: as the client addressed the server. */
  readonly publicUrl: string | undefined;
}

/** Ten messages of a mebibyte do not fit into a batch of SQS, but their escaped text may be longer. */
const LARGEST_BODY = 8 * 1_024 * 1_024;
const ACCOUNT = "000000000000";
const REGION = "us-east-1";
const QUEUE_URL = "/:account(^\\d+$)/:queue";
const ROUTES = [
  ["POST", "/"],
  ["POST", QUEUE_URL],
  ["GET", QUEUE_URL],
] as const;

/** A caller, as its signature says. */
interface Caller {
  readonly name: string;
  readonly key: AccessKey | undefined;
}

export async function addSqs(app: App, options: SqsOptions): Promise<void> {
  const verifier = new SignatureVerifier(options.accessKeys, "sqs");
  const known = new KnownQueues((name) => options.transport.room(SQS).find(name));
  await app.register(async (room) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) =>
      done(null, body),
    );
    room.setErrorHandler((error, request, reply) => {
      const { statusCode } = error as { statusCode?: number };
      const seen = statusCode === 413 ? tooLarge() : toSqsError(error);
      if (!seen.isSender) request.log.error({ err: error }, "a request of SQS failed");
      sendError(seen, request, reply);
    });
    // The root shows the dashboard to a GET.
    for (const [method, url] of ROUTES) {
      room.route({
        method,
        url,
        bodyLimit: LARGEST_BODY,
        schema: { hide: true },
        exposeHeadRoute: false,
        config: { isSigned: true },
        handler: async (request, reply) => {
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
          const caller = identify(request, body, verifier, options);
          const protocol = protocolOf(request);
          const { action, parameters } = protocol.read(request, body);
          requireAction(action, caller);
          const input = validate(action, parameters, protocol.isForm);
          const answer = await act(action, input, caller, { request, reply, known, options });
          const requestId = randomUUID();
          const { type, text } = protocol.answer(action, answer, requestId);
          return reply.header("x-amzn-requestid", requestId).type(type).send(text);
        },
      });
    }
  });
}

const tooLarge = (): SqsError =>
  new SqsError("RequestTooLarge", `The request has more than ${LARGEST_BODY} bytes.`);

const REFUSALS = {
  missing: "MissingAuthenticationToken",
  "unknown-key": "InvalidClientTokenId",
  mismatch: "SignatureDoesNotMatch",
  malformed: "IncompleteSignature",
} as const satisfies Readonly<Record<SignatureFailure["reason"], SqsErrorName>>;

/** @throws SqsError for a signature that is missing or wrong. */
function identify(
  { method, url, headers }: FastifyRequest,
  body: Buffer,
  verifier: SignatureVerifier,
  { accessKeys, isOpen }: SqsOptions,
): Caller {
  if (accessKeys.length === 0) {
    if (isOpen) {
      // A link or an image of any web page makes a GET too, but has no such header.
      if (method === "GET" && headers.authorization === undefined)
        throw new SqsError(REFUSALS.missing, "Sign the request, or send it by POST.");
      return { name: "anyone", key: undefined };
    }
    throw new SqsError(
      "InvalidClientTokenId",
      "This server knows no access keys. Set OXBOW_ACCESS_KEYS on it.",
    );
  }
  try {
    const key = verifier.verify({ method, url, headers, body }, new Date());
    return { name: key.id, key };
  } catch (error) {
    if (error instanceof SignatureFailure)
      throw new SqsError(REFUSALS[error.reason], error.message);
    throw error;
  }
}

interface Served {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly known: KnownQueues;
  readonly options: SqsOptions;
}

/** @throws SqsError if the caller lacks the scope of an action. */
function requireAction(name: ActionName, { name: caller, key }: Caller): void {
  const { scope } = ACTIONS[name];
  if (key === undefined || includesScope(key.scopes, scope)) return;
  throw new SqsError(
    "AccessDenied",
    `${name} requires the scope ${scope}, which access key ${caller} lacks.`,
  );
}

function act(
  name: ActionName,
  input: object,
  caller: Caller,
  { request, reply, known, options }: Served,
): Promise<object> {
  const { isAudited, handle }: Action<never> = ACTIONS[name];
  const transport = isAudited === true ? actingFor(caller, request, options) : options.transport;
  const context: SqsContext = {
    queues: transport.queues,
    calls: transport.room(SQS),
    known,
    addresses: { origin: originOf(request, options), account: ACCOUNT, region: regionIn(request) },
    sender: caller.name,
    receive: (asked) => receiveForClient(transport.queues, asked, reply),
  };
  return handle(input as never, context);
}

/** The same transport, whose changes the audit records in the name of the key. */
function actingFor(
  { name, key }: Caller,
  { ip }: FastifyRequest,
  { transport }: SqsOptions,
): Transport {
  const actor =
    key === undefined
      ? { actor: null, kind: "anyone" as const, address: ip }
      : { actor: name, kind: "token" as const, address: ip };
  return transport.actingFor?.(actor) ?? transport;
}

const originOf = ({ protocol, headers, host }: FastifyRequest, { publicUrl }: SqsOptions): string =>
  publicUrl?.replace(/\/$/, "") ?? `${protocol}://${headers.host ?? host}`;

/** The region that the client signed for. */
const regionIn = ({ headers }: FastifyRequest): string =>
  /Credential=[^/,\s]+\/\d{8}\/([a-z0-9-]{1,40})\//.exec(headers.authorization ?? "")?.[1] ??
  REGION;

function sendError(error: SqsError, request: FastifyRequest, reply: FastifyReply): void {
  const requestId = randomUUID();
  const { type, text } = protocolOf(request).refuse(error, requestId);
  void reply
    .code(error.status)
    .headers({
      "x-amzn-requestid": requestId,
      "x-amzn-query-error": `${error.code};${error.isSender ? "Sender" : "Receiver"}`,
    })
    .type(type)
    .send(text);
}
