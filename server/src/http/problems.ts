/** Errors as RFC 9457 problems: one shape, with a stable `code` that programs can rely on. */
import { type ErrorCode, OxbowError } from "@oxbow/sdk";
import {
  blameFor,
  ERROR_CATALOGUE,
  MAX_JSON_DEPTH,
  PROBLEM_FACTS,
  SERVER_PROBLEMS,
  SQL_ONLY_ERRORS,
  type ServerProblemCode,
  sqlstateOf,
  whyUnavailable,
} from "@oxbow/sdk/internal/server";
import { isTooDeep } from "./nesting.ts";
import { logProblem } from "../telemetry/log.ts";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";

/** With what some codes name beyond it, as `ProblemBody` describes it. */
export interface Problem extends Partial<Record<(typeof PROBLEM_FACTS)[number], unknown>> {
  /** A URN that names the kind of problem. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** The cause, and a remedy. */
  readonly detail: string;
  /** The same as `type`, for programs: it never changes. */
  readonly code: ProblemCode;
  /** The request's path. */
  readonly instance: string;
  /** The code of the database, if the error is not one of Oxbow's. */
  readonly sqlstate?: string;
  /** The places that don't match the schema. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** The codes of problems: those of Oxbow's errors, and the server's own. */
export type ProblemCode = ErrorCode | ServerProblemCode;

/** The status that the error catalogue gives a code. */
const statusOf = (code: ProblemCode): number =>
  code in SERVER_PROBLEMS
    ? SERVER_PROBLEMS[code as ServerProblemCode].status
    : (ERROR_CATALOGUE[code as ErrorCode].status ?? 400);

/** A route or a hook rejects the request. */
export class HttpProblem extends Error {
  override readonly name = "HttpProblem";
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.code = code;
    this.headers = headers;
  }
}

export const invalidRequest = (detail: string): HttpProblem =>
  new HttpProblem("INVALID_REQUEST", detail);

export const forbidden = (detail: string): HttpProblem => new HttpProblem("FORBIDDEN", detail);

/** The token is no valid one. */
export const invalidToken = (detail: string): HttpProblem =>
  new HttpProblem("UNAUTHORIZED", detail, { "www-authenticate": 'Bearer error="invalid_token"' });

/** The token is valid, and doesn't open what is asked for. */
export const insufficientToken = (detail: string): HttpProblem =>
  new HttpProblem("FORBIDDEN", detail, { "www-authenticate": 'Bearer error="insufficient_scope"' });

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
  408: "Request timeout",
  409: "Conflict",
  412: "Precondition failed",
  413: "Content too large",
  415: "Unsupported media type",
  414: "URI too long",
  421: "Misdirected request",
  422: "Unprocessable content",
  424: "Failed dependency",
  426: "Upgrade required",
  428: "Precondition required",
  429: "Too many requests",
  431: "Request header fields too large",
  500: "Internal error",
  503: "Unavailable",
};

const CODE_OF_FASTIFY: Readonly<Record<string, ServerProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "BODY_TOO_LARGE",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "UNSUPPORTED_MEDIA_TYPE",
  FST_ERR_CTP_EMPTY_JSON_BODY: "INVALID_JSON",
  FST_ERR_CTP_INVALID_JSON_BODY: "INVALID_JSON",
  FST_ERR_VALIDATION: "INVALID_REQUEST",
  FST_ERR_BAD_URL: "INVALID_REQUEST",
  FST_ERR_MAX_PARAM_LENGTH: "URI_TOO_LONG",
};

/** Database errors that the words of a request can cause where no function of ours has looked at them. */
const BAD_DATA = /^22|^23/;

/** Errors that are not caused by the request: resources, locks, timeouts, operators, the machine, a read-only server. */
const MAY_PASS = /^(?:08|25|40|53|55|57|58)/;

/** Seconds after which a database that is away may be back. */
const RETRY_AFTER = "1";

/** A problem before its status, title and type are derived from its code. */
export interface Described
  extends
    Pick<Problem, "code" | "detail">,
    Partial<Pick<Problem, "sqlstate" | "errors" | (typeof PROBLEM_FACTS)[number]>> {
  /** Default: the status of the code. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const FAILED: Described = {
  code: "INTERNAL_ERROR",
  detail: "The server failed; its log has the error.",
};

/** Responds to a failed request, whatever the error. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { headers, ...described } = describeFor(error, request, reply);
  const problem = toProblem(described, request.url.split("?")[0] ?? "");
  logProblem(request.log, problem, error);
  if (problem.status === 503) void reply.header("retry-after", RETRY_AFTER);
  void reply
    .code(problem.status)
    .headers(headers ?? {})
    .header("content-type", "application/problem+json")
    .serializer((body: unknown) => JSON.stringify(body))
    .send(problem);
}

export function toProblem(described: Omit<Described, "headers">, instance: string): Problem {
  const { code, status = statusOf(code), ...rest } = described;
  return {
    type: `urn:oxbow:problem:${code.toLowerCase().replaceAll("_", "-")}`,
    title: TITLES[status] ?? "Error",
    status,
    code,
    ...rest,
    instance,
  };
}

function describeFor(error: unknown, request: FastifyRequest, reply: FastifyReply): Described {
  if (isCutOff(error, request)) return CUT_OFF;
  if (isLeft(error, reply)) return LEFT;
  // Only now, since a recursion over such a body has overflowed the stack; other requests don't pay for the check.
  if (error instanceof RangeError && isTooDeep(request.body)) return TOO_DEEP;
  return describe(error);
}

/** The client disconnected, or was too slow, before its body was complete; the database has received nothing yet. */
const isCutOff = (error: unknown, { raw }: FastifyRequest): boolean =>
  !raw.complete && raw.destroyed && !(error instanceof HttpProblem);

const CUT_OFF: Described = {
  code: "REQUEST_INCOMPLETE",
  detail: "The connection ended before the request was complete.",
};

/** The client disconnected before the first byte of a stream. */
const isLeft = (error: unknown, { raw }: FastifyReply): boolean =>
  raw.destroyed && (error as { readonly code?: unknown }).code === "ERR_STREAM_PREMATURE_CLOSE";

const LEFT: Described = {
  code: "REQUEST_INCOMPLETE",
  detail: "The connection ended before the answer began.",
};

const TOO_DEEP: Described = {
  code: "INVALID_REQUEST",
  detail: `The body is nested more than ${MAX_JSON_DEPTH} levels deep. Nest it less deeply.`,
};

export function describe(error: unknown): Described {
  if (error instanceof HttpProblem) {
    const { code, message, headers } = error;
    return { code, detail: message, headers };
  }
  if (error instanceof OxbowError) return describeOxbow(error);
  if (whyUnavailable(error) !== undefined) {
    return { code: "CONNECTION_FAILED", detail: "The database can't be reached. Try again." };
  }
  const sqlstate = sqlstateOf(error);
  if (sqlstate !== undefined) return describeRefusal(error as Error, sqlstate);
  return describeOther(error as Partial<FastifyError>);
}

/** The database rejected a statement with a code that has no class. */
function describeRefusal(error: Error, sqlstate: string): Described {
  const code = SQL_ONLY_ERRORS[sqlstate];
  if (code !== undefined) {
    const hint = "hint" in error && typeof error.hint === "string" ? ` ${error.hint}` : "";
    return { code, detail: `${error.message}.${hint}`, sqlstate };
  }
  if (MAY_PASS.test(sqlstate)) {
    return {
      code: "DATABASE_UNAVAILABLE",
      detail: `The database can't do this at present (SQLSTATE ${sqlstate}). Try again; the server's log has its message.`,
      sqlstate,
    };
  }
  if (BAD_DATA.test(sqlstate) || blameFor(error) === "data") {
    return { code: "INVALID_ARGUMENT", detail: `${error.message}.`, sqlstate };
  }
  return { ...FAILED, sqlstate };
}

function describeOxbow({ code, message, facts }: OxbowError): Described {
  return {
    code,
    detail: message,
    ...(Array.isArray(facts["issues"]) ? { errors: facts["issues"] as never } : {}),
    ...Object.fromEntries(
      PROBLEM_FACTS.filter((name) => name in facts).map((name) => [name, facts[name]]),
    ),
  };
}

function describeOther(error: Partial<FastifyError>): Described {
  const { code = "", statusCode = 500, validation, message = "", validationContext } = error;
  if (validation !== undefined) {
    const errors = validation.map((issue) => ({
      path: `${validationContext ?? "body"}${issue.instancePath}`,
      message: describeIssue(issue, literalsAt(issue, validation)),
    }));
    const [first] = errors;
    return {
      code: "INVALID_REQUEST",
      detail: first === undefined ? message : `${first.path} ${first.message}.`,
      errors,
    };
  }
  if (statusCode < 500) {
    return {
      status: statusCode,
      code: CODE_OF_FASTIFY[code] ?? "INVALID_REQUEST",
      detail: message,
    };
  }
  return FAILED;
}

interface Issue {
  readonly message?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Finds the literals of a union, each of which has an issue. */
function literalsAt(
  { instancePath }: { readonly instancePath: string },
  issues: readonly { readonly instancePath: string; readonly params?: object }[],
): readonly unknown[] {
  return issues
    .filter((each) => each.instancePath === instancePath)
    .flatMap(({ params = {} }) => ("allowedValue" in params ? [params.allowedValue] : []));
}

function describeIssue(
  { message = "is invalid", params = {} }: Issue,
  literals: readonly unknown[],
): string {
  if (literals.length > 1) return `must be one of ${literals.join(", ")}`;
  const { additionalProperty, allowedValues } = params;
  if (typeof additionalProperty === "string")
    return `has an unknown property "${additionalProperty}"`;
  if (Array.isArray(allowedValues)) return `${message}: ${allowedValues.join(", ")}`;
  return message;
}
