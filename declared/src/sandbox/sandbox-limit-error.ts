import type { Limit, SandboxLimits } from "./sandbox-job.ts";

const MESSAGES: Readonly<Record<Limit, (limits: SandboxLimits) => string>> = {
  source: ({ sourceBytes }) => `the code is larger than ${sourceBytes} bytes`,
  time: ({ timeMs }) => `the code didn't end within ${timeMs} ms`,
  memory: ({ memoryBytes }) => `the code needs more than ${memoryBytes} bytes of memory`,
  stack: ({ stackBytes }) =>
    `the code needs more than ${stackBytes} bytes of stack: it recurses too deeply`,
  output: ({ outputBytes }) => `the output is larger than ${outputBytes} bytes`,
};

/** User code exceeded a limit. */
export class SandboxLimit extends Error {
  readonly code = "SANDBOX_LIMIT";
  readonly limit: Limit;

  constructor(limit: Limit, limits: SandboxLimits) {
    super(MESSAGES[limit](limits));
    this.name = "SandboxLimit";
    this.limit = limit;
  }
}
