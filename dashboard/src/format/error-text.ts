/** The error of a run or a step, in one line. */
export function errorText(error: unknown): string {
  if (error === null || error === undefined) return "";
  if (typeof error !== "object") return JSON.stringify(error);
  const { name, message } = error as { readonly name?: unknown; readonly message?: unknown };
  return `${typeof name === "string" ? name : "Error"}: ${
    typeof message === "string" ? message : JSON.stringify(error)
  }`;
}

/** The stack of an error, without the line that errorText() shows; undefined if it was not recorded. */
export function stackOf(error: unknown): string | undefined {
  const stack = (error as { readonly stack?: unknown } | null)?.stack;
  return typeof stack === "string" && stack !== "" ? stack : undefined;
}
