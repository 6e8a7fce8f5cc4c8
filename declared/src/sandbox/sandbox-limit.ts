import type { Limit, SandboxLimits } from "./sandbox-job.ts";

/** User code exceeded a limit. */
export class SandboxLimit extends Error {
  readonly code = "SANDBOX_LIMIT";
  readonly limit: Limit;

  constructor(limit: Limit, limits: SandboxLimits) {
    super(describe(limit, limits));
    this.name = "SandboxLimit";
    this.limit = limit;
  }
}

function describe(
  limit: Limit,
  { sourceBytes, timeMs, memoryBytes, stackBytes, outputBytes }: SandboxLimits,
): string {
  switch (limit) {
    case "source":
      return `the code is larger than ${sourceBytes} bytes`;
    case "time":
      return `the code didn't end within ${timeMs} ms`;
    case "memory":
      return `the code needs more than ${memoryBytes} bytes of memory`;
    case "stack":
      return `the code needs more than ${stackBytes} bytes of stack: it recurses too deeply`;
    case "output":
      return `the output is larger than ${outputBytes} bytes`;
    default:
      return limit satisfies never;
  }
}
