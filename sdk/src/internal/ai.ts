/** Door `@oxbow/sdk/internal/ai`, for `@oxbow/ai`: what durable models and tools take from the SDK. No promise of compatibility. */
export { currentScope } from "../async/callback-scope.ts";
export { linkSignals, withLinkedSignal } from "../async/linked-signal.ts";
export { startTimer } from "../async/timer.ts";
export { unlessAborted } from "../async/unless-aborted.ts";
export { parseDuration } from "../core/duration.ts";
export { StepTimeout } from "../core/errors.ts";
export { checkOptions, type OptionNames } from "../core/options.ts";
export { APPROVAL, type ApprovalRequest, AT_TIMEOUT } from "../replay/steps/wait.ts";
