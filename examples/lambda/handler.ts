/** Invoices on AWS Lambda: a server calls this function when a step of a run is ready, and not while the run waits. */
import { createHandler, toLambdaHandler } from "@oxbow/sdk/http";
import { workflow } from "@oxbow/sdk/runtime";

export const collectInvoice = workflow({
  name: "collect-invoice",
  run: async (ctx, { invoiceId }: { invoiceId: string }) => {
    // Your mail service would be called here.
    await ctx.step.run("send-invoice", () => `mail with invoice ${invoiceId}`);

    const payment = await ctx.step.waitForEvent("paid", { timeout: "30d" });
    if (payment === null) {
      await ctx.step.run("send-reminder", () => `reminder of invoice ${invoiceId}`);
      return "overdue";
    }

    await ctx.step.run("send-receipt", () => `receipt for invoice ${invoiceId}`);
    return "paid";
  },
});

// As long as the timeout of the function. Its key is the variable OXBOW_SIGNING_KEY.
export const handler = toLambdaHandler(
  createHandler({ workflows: [collectInvoice], maxDuration: "60s" }),
);
