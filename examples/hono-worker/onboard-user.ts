import { workflow } from "@oxbow/sdk/runtime";

export const onboardUser = workflow({
  name: "onboard-user",
  run: async (ctx, { email }: { email: string }) => {
    // Your database would be called here.
    const userId = await ctx.step.run("create-user", () => crypto.randomUUID());

    // The function is not called meanwhile.
    await ctx.step.sleep("before-welcome", "1s");

    const subject = await ctx.step.run("send-welcome", () => {
      // Your mail service would be called here.
      ctx.logger.info("welcome mail", { email });
      return `Welcome, ${email}`;
    });

    return { userId, subject };
  },
});
