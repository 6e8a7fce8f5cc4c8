/** The error classes that a code and a message are enough to construct, for failures reported by SQL or by a server. */
import type { ErrorCode } from "./error-catalogue.ts";
import {
  ApprovalNotFound,
  EndpointNotFound,
  IdempotencyConflict,
  InvalidArgument,
  InvalidName,
  NameTaken,
  NotAnApprover,
  type OxbowError,
  type OxbowErrorOptions,
  PayloadTooLarge,
  QueueExists,
  QueueInUse,
  QueueNotFound,
  RunMoved,
  RunNotFound,
  ScheduleNotFound,
  WrongQueueKind,
  WrongShard,
} from "./errors.ts";
import {
  DefinitionInactive,
  DefinitionInUse,
  DefinitionNotFound,
  InvalidDefinition,
  NotMigratable,
  ResourceInUse,
  ResourceNotFound,
  ResourcesNotListed,
  RevisionConflict,
  TriggerEventNotFound,
} from "./definition-errors.ts";

type ErrorOfMessage = new (message: string, options: OxbowErrorOptions) => OxbowError;

const CLASSES: Readonly<Partial<Record<ErrorCode, ErrorOfMessage>>> = {
  APPROVAL_NOT_FOUND: ApprovalNotFound,
  DEFINITION_INACTIVE: DefinitionInactive,
  DEFINITION_IN_USE: DefinitionInUse,
  DEFINITION_NOT_FOUND: DefinitionNotFound,
  ENDPOINT_NOT_FOUND: EndpointNotFound,
  IDEMPOTENCY_CONFLICT: IdempotencyConflict,
  INVALID_ARGUMENT: InvalidArgument,
  INVALID_DEFINITION: InvalidDefinition,
  INVALID_NAME: InvalidName,
  NAME_TAKEN: NameTaken,
  NOT_AN_APPROVER: NotAnApprover,
  NOT_MIGRATABLE: NotMigratable,
  PAYLOAD_TOO_LARGE: PayloadTooLarge,
  QUEUE_EXISTS: QueueExists,
  QUEUE_IN_USE: QueueInUse,
  QUEUE_NOT_FOUND: QueueNotFound,
  RESOURCE_IN_USE: ResourceInUse,
  RESOURCE_NOT_FOUND: ResourceNotFound,
  RESOURCES_NOT_LISTED: ResourcesNotListed,
  REVISION_CONFLICT: RevisionConflict,
  RUN_MOVED: RunMoved,
  RUN_NOT_FOUND: RunNotFound,
  SCHEDULE_NOT_FOUND: ScheduleNotFound,
  TRIGGER_EVENT_NOT_FOUND: TriggerEventNotFound,
  WRONG_QUEUE_KIND: WrongQueueKind,
  WRONG_SHARD: WrongShard,
};

/** Returns undefined for a code without a class, or whose class requires more than a message. */
export function errorOfCode(
  code: ErrorCode,
  message: string,
  options: OxbowErrorOptions,
): OxbowError | undefined {
  const ErrorClass = CLASSES[code];
  return ErrorClass === undefined ? undefined : new ErrorClass(message, options);
}
