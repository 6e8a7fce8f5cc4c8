/**
 * A client as browsers and edge runtimes have it: with the globals of the web, whose timers are numbers, and no others.
 * Arguments: the bundled client, the server's url. Prints what became of a run, and the error of a client for a database.
 */
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";

const [, , bundle = "", url = ""] = process.argv;

const timers: NodeJS.Timeout[] = [];
const web = createContext({
  url,
  print: (line: string) => void process.stdout.write(`${line}\n`),
  console,
  fetch,
  URL,
  URLSearchParams,
  TextDecoder,
  TextEncoder,
  AbortController,
  AbortSignal,
  EventTarget,
  performance,
  crypto,
  queueMicrotask,
  setTimeout: (call: () => void, ms: number) => timers.push(setTimeout(call, ms)) - 1,
  clearTimeout: (id: number) => clearTimeout(timers[id]),
});
runInContext(`${readFileSync(bundle, "utf8")}; globalThis.oxbow = oxbow`, web);
await runInContext(
  `(async () => {
    const { createWorkflowClient } = oxbow;
    const client = createWorkflowClient({ url });
    const run = await client.start("greet", { name: "Ada" });
    const chunks = [];
    for await (const { value } of client.runs.stream(run.runId)) chunks.push(value);
    const output = await run.result({ timeout: "60s" });
    await client.queues.create("letters");
    await client.queues.send("letters", { n: 1 });
    const refused = await createWorkflowClient({ url: "postgres://app@localhost/shop" })
      .start("greet", {})
      .catch(({ name, message }) => name + ": " + message);
    await client.close();
    print(JSON.stringify({ output, chunks, refused }));
  })()`,
  web,
);
// The connections of `fetch` stay open for a while.
process.exit();
