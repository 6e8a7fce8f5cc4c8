/** Errors as clients of SQS know them, by class and by code. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html */
import { describe, toProblem } from "../http/problems.ts";

const OLD = "AWS.SimpleQueueService.";

/** The code of each class, which clients of the older protocol read, and its status. */
const ERRORS = {
  QueueDoesNotExist: { code: `${OLD}NonExistentQueue`, status: 400 },
  QueueNameExists: { code: "QueueAlreadyExists", status: 400 },
  EmptyBatchRequest: { code: `${OLD}EmptyBatchRequest`, status: 400 },
  TooManyEntriesInBatchRequest: { code: `${OLD}TooManyEntriesInBatchRequest`, status: 400 },
  BatchEntryIdsNotDistinct: { code: `${OLD}BatchEntryIdsNotDistinct`, status: 400 },
  InvalidBatchEntryId: { code: `${OLD}InvalidBatchEntryId`, status: 400 },
  BatchRequestTooLong: { code: `${OLD}BatchRequestTooLong`, status: 400 },
  MessageNotInflight: { code: `${OLD}MessageNotInflight`, status: 400 },
  UnsupportedOperation: { code: `${OLD}UnsupportedOperation`, status: 400 },
  PurgeQueueInProgress: { code: `${OLD}PurgeQueueInProgress`, status: 403 },
  ReceiptHandleIsInvalid: { code: "ReceiptHandleIsInvalid", status: 400 },
  InvalidAddress: { code: "InvalidAddress", status: 404 },
  InvalidAttributeName: { code: "InvalidAttributeName", status: 400 },
  InvalidAttributeValue: { code: "InvalidAttributeValue", status: 400 },
  InvalidMessageContents: { code: "InvalidMessageContents", status: 400 },
  InvalidAction: { code: "InvalidAction", status: 400 },
  InvalidParameterValueException: { code: "InvalidParameterValue", status: 400 },
  MissingRequiredParameterException: { code: "MissingParameter", status: 400 },
  SerializationException: { code: "MalformedInput", status: 400 },
  RequestTooLarge: { code: "RequestTooLarge", status: 413 },
  ResourceNotFoundException: { code: "ResourceNotFoundException", status: 404 },
  MissingAuthenticationToken: { code: "MissingAuthenticationToken", status: 403 },
  InvalidClientTokenId: { code: "InvalidClientTokenId", status: 403 },
  SignatureDoesNotMatch: { code: "SignatureDoesNotMatch", status: 403 },
  IncompleteSignature: { code: "IncompleteSignature", status: 400 },
  AccessDenied: { code: "AccessDenied", status: 403 },
  ServiceUnavailable: { code: "ServiceUnavailable", status: 503 },
  InternalFailure: { code: "InternalFailure", status: 500 },
} as const;

export type SqsErrorName = keyof typeof ERRORS;

export class SqsError extends Error {
  override readonly name: SqsErrorName;
  readonly code: string;
  readonly status: number;

  constructor(name: SqsErrorName, message: string) {
    super(message);
    this.name = name;
    this.code = ERRORS[name].code;
    this.status = ERRORS[name].status;
  }

  /** Whether the request is to blame. */
  get isSender(): boolean {
    return this.status < 500;
  }
}

/** An error of the database or of this server as a client of SQS knows it. Clients repeat a request after a 503. */
export function toSqsError(error: unknown): SqsError {
  if (error instanceof SqsError) return error;
  const { status, code, detail } = toProblem(describe(error), "");
  if (code === "QUEUE_NOT_FOUND") {
    return new SqsError("QueueDoesNotExist", "The specified queue does not exist.");
  }
  if (code === "QUEUE_EXISTS") return new SqsError("QueueNameExists", detail);
  if (code === "QUEUE_IN_USE") return new SqsError("UnsupportedOperation", detail);
  if (status === 500) return new SqsError("InternalFailure", detail);
  if (status > 500) return new SqsError("ServiceUnavailable", detail);
  return invalid(detail);
}

export const invalid = (message: string): SqsError =>
  new SqsError("InvalidParameterValueException", message);

/** @throws SqsError for a number out of its range. */
export function checkRange(
  value: number | undefined,
  parameter: string,
  least: number,
  most: number,
): void {
  if (value === undefined || (value >= least && value <= most)) return;
  throw invalidValue(value, parameter, `Must be >= ${least} and <= ${most}, if provided`);
}

/** The sentence that clients of SQS know. */
export const invalidValue = (value: unknown, parameter: string, reason: string): SqsError =>
  invalid(`Value ${String(value)} for parameter ${parameter} is invalid. Reason: ${reason}.`);
