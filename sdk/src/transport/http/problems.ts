/** Problems that a server reports, as the error classes that the direct transport throws. */
import {
  type ErrorCode,
  ERROR_CATALOGUE,
  SERVER_PROBLEMS,
  type ServerProblemCode,
} from "../../core/error-catalogue.ts";
import { errorOfCode } from "../../core/error-of-code.ts";
import {
  type Facts,
  NotInstalled,
  OxbowError,
  SerializationError,
  ValidationFailed,
  type ValidationIssue,
} from "../../core/errors.ts";
import { blameFor } from "../../protocol/blame.ts";

/** The members of an RFC 9457 problem that the SDK reads. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  /** The code of the server's database, if the error is not one of Oxbow's. */
  readonly sqlstate?: string;
  /** Findings of a schema. */
  readonly errors?: readonly ValidationIssue[];
  /** What programs read besides, by the code: the problems of a document, the revision of a draft. */
  readonly facts?: Facts;
}

/** The error of a problem that the connection does not retry. */
export function toOxbowError(problem: Problem, target: string): Error {
  const { code, detail, sqlstate } = problem;
  if (sqlstate !== undefined) {
    const error = Object.assign(new Error(`${target} answered ${problem.status}: ${detail}`), {
      code: sqlstate,
    });
    // The same error as the driver's.
    if (blameFor(error) !== "data") return error;
  }
  const oxbowCode = oxbowCodeOf(problem);
  if (oxbowCode === "SERIALIZATION_FAILED") {
    return new SerializationError("a value", "$", `was rejected by the server: ${detail}`);
  }
  if (oxbowCode === "VALIDATION_FAILED" && typeof problem.facts?.["what"] === "string") {
    return new ValidationFailed(problem.facts["what"], problem.errors ?? []);
  }
  if (oxbowCode === "NOT_INSTALLED") return new NotInstalled(`the database of ${target}`);
  return (
    (oxbowCode && errorOfCode(oxbowCode, detail, { facts: { ...problem.facts, problem } })) ??
    Object.assign(new Error(`${target} answered ${problem.status} ${code}: ${detail}`), { problem })
  );
}

/** Whether an error of `toOxbowError` is about a problem of this code. */
export function isProblem(error: unknown, code: string): boolean {
  if (error instanceof OxbowError) return error.code === code;
  return error instanceof Error && "problem" in error && (error.problem as Problem).code === code;
}

function oxbowCodeOf({ code, detail }: Problem): ErrorCode | undefined {
  // The server is older than this SDK; the values are not at fault.
  if (code === "INVALID_REQUEST" && detail.includes("has an unknown property")) return undefined;
  if (Object.hasOwn(ERROR_CATALOGUE, code)) return code as ErrorCode;
  return Object.hasOwn(SERVER_PROBLEMS, code)
    ? SERVER_PROBLEMS[code as ServerProblemCode].rejectsWith
    : undefined;
}

/** Resolves with undefined if the server reports that a thing doesn't exist. */
export async function orUndefined<Answer>(
  asked: Promise<Answer>,
  code: (ErrorCode | ServerProblemCode) & `${string}_NOT_FOUND`,
): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isProblem(error, code)) return undefined;
    throw error;
  }
}

/** Members of a problem that its error has as facts. */
export const PROBLEM_FACTS = [
  "revision",
  "savedBy",
  "savedAt",
  "changes",
  "problems",
  "owners",
  "users",
  "what",
  "node",
  "from",
  "to",
] as const;

function factsOf(body: object): Pick<Problem, "facts"> {
  const found = PROBLEM_FACTS.filter((name) => name in body);
  if (found.length === 0) return {};
  return { facts: Object.fromEntries(found.map((name) => [name, (body as Facts)[name]])) };
}

/** Reads the body of a failed answer, which may come from a proxy instead of the server. */
export function readProblem(status: number, text: string): Problem {
  try {
    const body = JSON.parse(text) as Partial<Problem>;
    const { code, detail, sqlstate, errors } = body;
    if (typeof code === "string" && typeof detail === "string") {
      return {
        status,
        code,
        detail,
        ...(typeof sqlstate === "string" ? { sqlstate } : {}),
        ...(Array.isArray(errors) ? { errors } : {}),
        ...factsOf(body),
      };
    }
  } catch {
    // Not JSON.
  }
  return { status, code: "NOT_OXBOW", detail: text.slice(0, 200) };
}
