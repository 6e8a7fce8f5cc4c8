/** The smallest workflow: two steps, a worker, a client. */
import { createWorkflowClient } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { startDatabase } from "./database.ts";

const hello = workflow({
  name: "hello",
  run: async (ctx, input: { name: string }) => {
    // A step's result is journaled: after a crash it is read, and the function is not called again.
    const greeting = await ctx.step.run("greet", () => `Hello, ${input.name}!`);
    const length = await ctx.step.run("measure", () => greeting.length);
    return { greeting, length };
  },
});

await using database = await startDatabase();
const worker = hello.serve({ url: database.url });
await using client = createWorkflowClient({ url: database.url });

const run = await client.start(hello, { name: "Ada" }, { idempotencyKey: "hello-ada" });
console.log("created:", run.created);
console.log("result:", await run.result({ timeout: "10s" }));

// The same key finds the same run.
const again = await client.start(hello, { name: "Ada" }, { idempotencyKey: "hello-ada" });
console.log("created again:", again.created, "same run:", again.runId === run.runId);

for (const { name, kind, output } of await client.runs.steps(run.runId)) {
  console.log(`journal: ${name} (${kind}) =`, output);
}
await worker.stop();

// Output:
// created: true
// result: { length: 11, greeting: 'Hello, Ada!' }
// created again: false same run: true
// journal: greet (run) = Hello, Ada!
// journal: measure (run) = 11
