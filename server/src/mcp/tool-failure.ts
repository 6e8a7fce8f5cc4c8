/** A call that can't be answered. The message names the value, and what to do. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}
