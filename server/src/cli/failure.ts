/** The message of a failure, with the hint of the database, and without a stack trace. */
export function describeFailure(error: unknown): string {
  const { message, hint } = error as { readonly message?: string; readonly hint?: string };
  // A connection that is refused at every address of a name fails with all reasons.
  const reason = error instanceof AggregateError ? describeFailure(error.errors[0]) : message;
  return inCommands([asSentence(reason ?? String(error)), hint].filter(Boolean).join(" "));
}

/** Commands that do the same as the SQL functions in hints. */
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
  definition_list: "oxbow definitions list",
  definition_versions: "oxbow definitions show",
  definition_create: "oxbow definitions apply",
  definition_publish: "oxbow definitions publish",
  definition_resume: "oxbow definitions resume",
  schedule_list: "oxbow schedules list",
  schedule_create: "client.schedules.create",
  approval_list: "oxbow approvals list",
  migrate: "oxbow migrate",
};

/** Advice of the database, with commands instead of SQL functions. */
export function inCommands(text: string): string {
  return text.replaceAll(/\b(?:queue\.)?([a-z_]+)\(\)/g, (call, name: string) => {
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    return command === undefined ? call : `\`${command}\``;
  });
}

function asSentence(text: string): string {
  // An example or a log follows.
  if (text === "" || text.includes("\n")) return text;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
