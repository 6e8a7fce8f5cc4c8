/** A failure as a person reads it: what went wrong and, where the database says so, what to do. No stack trace. */
export function describeFailure(error: unknown): string {
  const { message, hint } = error as { readonly message?: string; readonly hint?: string };
  // A connection that is refused on every address of a name has its reasons inside.
  const reason = error instanceof AggregateError ? describeFailure(error.errors[0]) : message;
  return [asSentence(reason ?? String(error)), hint].filter(Boolean).join(" ");
}

function asSentence(text: string): string {
  // What ends with an example, or a log, is no sentence.
  if (text === "" || text.includes("\n")) return text;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
