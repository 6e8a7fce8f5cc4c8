/** Describes why a file could not be loaded: the message, and the places of the user's code in the stack. */
export function describeLoadFailure(thrown: unknown, project: string): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { name, message, stack = "" } = thrown;
  // The stack of a syntax error is the compiler's.
  const isSyntax = message.includes("Transform failed");
  const frames = isSyntax
    ? []
    : stack
        .split("\n")
        .filter((line) => /^\s+at /.test(line) && line.includes(project))
        .filter((line) => !line.includes("node_modules"))
        .slice(0, 3)
        .map((line) => line.replaceAll(`file://${project}/`, "").replaceAll(`${project}/`, ""));
  const text = message.replaceAll(`file://${project}/`, "").replaceAll(`${project}/`, "");
  const title =
    isSyntax || name === "Error" || name.endsWith("Argument") ? text : `${name}: ${text}`;
  const missing = /Cannot find (?:module|package) '(@oxbow\/sdk|@oxbow\/server)/.exec(message)?.[1];
  const advice =
    missing === undefined ? [] : [`Install it in this project: npm install ${missing}`];
  return [title, ...frames, ...advice].join("\n");
}
