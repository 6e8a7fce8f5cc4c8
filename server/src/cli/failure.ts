/** A failure as who types commands reads it: what went wrong and, where the database says so, what to do. No stack trace. */
export function describeFailure(error: unknown): string {
  const { message, hint } = error as { readonly message?: string; readonly hint?: string };
  // A connection that is refused on every address of a name has its reasons inside.
  const reason = error instanceof AggregateError ? describeFailure(error.errors[0]) : message;
  return inCommands([asSentence(reason ?? String(error)), hint].filter(Boolean).join(" "));
}

/** The database gives its advice in SQL: what does the same here. */
const COMMANDS: Readonly<Record<string, string>> = {
  create_queue: "oxbow queues create",
  list_queues: "oxbow queues list",
  send: "oxbow queues send",
  send_fifo: "oxbow queues send --group",
  receive: "oxbow queues receive",
  receive_fifo: "oxbow queues receive",
  unsubscribe: "oxbow topics unsubscribe",
  workflow_start: "oxbow start",
  workflow_signal: "oxbow signal",
  workflow_cancel: "oxbow runs cancel",
  workflow_rerun: "oxbow runs rerun",
  workflow_journal: "oxbow runs show",
  schedule_list: "oxbow schedules list",
  schedule_create: "client.schedules.create",
  migrate: "oxbow migrate",
};

function inCommands(text: string): string {
  return text.replaceAll(/\b(?:queue\.)?([a-z_]+)\(\)/g, (call, name: string) => {
    const command = COMMANDS[name];
    return command === undefined ? call : `\`${command}\``;
  });
}

function asSentence(text: string): string {
  // What ends with an example, or a log, is no sentence.
  if (text === "" || text.includes("\n")) return text;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
