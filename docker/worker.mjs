import { workflow } from "@oxbow/sdk/runtime";

export const hello = workflow({
  name: "hello",
  run: async (ctx, input) => {
    const text = await ctx.step.run("compose", () => `Hello, ${input.name}!`);
    await ctx.step.sleep("pause", "3s");
    return text;
  },
});
