import { workflow } from "@oxbow/sdk/runtime";

const hello = workflow({
  name: "hello",
  run: async (ctx, input) => {
    const text = await ctx.step.run("compose", () => `Hello, ${input.name}!`);
    await ctx.step.sleep("pause", "3s");
    return text;
  },
});

const worker = hello.serve();
// As the first process of a container nothing else would end it.
process.once("SIGTERM", () => void worker.stop());
console.log("Serving hello.");
