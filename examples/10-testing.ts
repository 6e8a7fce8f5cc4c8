/** Testing a workflow: a week passes in milliseconds, steps are replaced, and old runs are replayed on new code. */
import { type Context, workflow } from "@oxbow/sdk/runtime";
import { createTestEnvironment, failTimes, replayRecording } from "@oxbow/sdk/testing";

const sendMail = (): never => {
  throw new Error("A test sends no mail.");
};

const onboard = workflow({
  name: "onboard",
  run: async (ctx, input: { email: string }) => {
    await ctx.step.run("welcome", () => sendMail());
    const verified = await ctx.step.waitForEvent("verify", { timeout: "7d" });
    if (verified === null) await ctx.step.run("nudge", () => sendMail());
    return { email: input.email, verified: verified !== null };
  },
});

await using env = await createTestEnvironment({
  url: process.env["QUEUE_URL"],
  workflows: [onboard],
});

// Mail fails twice before it is sent; the user never verifies, so a week passes.
env.replace(onboard, { welcome: failTimes(2, new Error("no connection"), "sent"), nudge: "sent" });
console.log(await env.run(onboard, { email: "ada@example.com" }));
console.log(
  "welcome:",
  env
    .calls("welcome")
    .map(({ threw }) => threw?.message ?? "sent")
    .join(", "),
);
console.log("nudge:", env.calls("nudge").length);

// The user verifies on the third day.
const run = await env.client.start(onboard, { email: "bob@example.com" });
await env.skip("3d");
const recording = await env.client.runs.record(run.runId);
await run.signal("verify", { by: "mail" });
console.log(await env.result(run));

// The recording is plain JSON: keep it as a file, and see whether the code of another day fits such runs.
console.log(await replayRecording(onboard, recording));
const renamed = workflow({
  name: "onboard",
  run: async (ctx: Context) => ctx.step.run("send-welcome", () => sendMail()),
});
await replayRecording(renamed, recording).catch(say);

// Nothing sends this event, and the wait has no timeout.
const stuck = workflow({ name: "stuck", run: (ctx) => ctx.step.waitForEvent("go") });
await using other = await createTestEnvironment({ url: env.url, workflows: [stuck] });
await other.run(stuck, null).catch(say);

function say(error: Error): void {
  console.log(error.name);
}

// Output:
// { email: 'ada@example.com', verified: false }
// welcome: no connection, no connection, sent
// nudge: 1
// { email: 'bob@example.com', verified: true }
// { outcome: 'continues', next: [ { step: 'verify', kind: 'wait' } ] }
// NondeterminismError
// RunBlocked
