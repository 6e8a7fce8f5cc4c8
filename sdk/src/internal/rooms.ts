/** Door `@oxbow/sdk/internal/rooms`, for packages that add rooms to the client and the transports. Loads no replay engine. No promise of compatibility. */
export { withLinkedSignal } from "../async/linked-signal.ts";
export type { Pace } from "../async/pace.ts";
export { sleep } from "../async/sleep.ts";
export { Watch } from "../async/watch.ts";
export { type ClientParts, partsOf } from "../client/client.ts";
export { RunHandle } from "../client/run-handle.ts";
export { checkRunId } from "../client/run-id.ts";
export { runNotFound, decodeStep } from "../client/run-reading.ts";
export { decodeRecording, recordRun } from "../client/run-recording.ts";
export { START_OPTIONS, toStartRequest } from "../client/start-request.ts";
export { txOf } from "../client/transaction.ts";
export * from "../core/definition-errors.ts";
export { parseDuration } from "../core/duration.ts";
export { toStorableText, type JsonText } from "../core/json.ts";
export { checkPlainName, checkWorkflowName, RESERVED_PREFIX } from "../core/names.ts";
export { checkOptions, type OptionNames } from "../core/options.ts";
export type {
  Call,
  MessageWaits,
  RequestOptions,
  Room,
  RoomQueries,
  ServerRequests,
} from "../protocol/rooms.ts";
export type { RunRecord, RunTransport, StartedRun, StartRequest } from "../protocol/runs.ts";
export type { ClientTransport } from "../protocol/transport.ts";
export { inSpan } from "../telemetry/tracer.ts";
export { readEvents } from "../transport/http/event-source.ts";
export { orUndefined } from "../transport/http/problems.ts";
export {
  type AskFor,
  askingFor,
  jsonOf,
  READ,
  refuseTx,
  withQuery,
} from "../transport/http/requests.ts";
export { startBody } from "../transport/http/runs/start.ts";
export { type Shown, toDates } from "../transport/http/shown.ts";
export { toSeconds } from "../transport/postgres/connection/arguments.ts";
export { call, type Numbers, type Texts } from "../transport/postgres/connection/call.ts";
