/**
 * A worker of a workflow that abandons steps: a wait, a child run and a callback lose to the step "winner". The step
 * after that holds the process until it is killed, unless the argument says that it is the second worker.
 */
import { createWorker, workflow } from "@oxbow/sdk/runtime";

const [url = "", turn = "first"] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const forEver = (): Promise<never> => new Promise(() => {});

const child = workflow({
  name: "abandoned-child",
  run: (ctx) => ctx.step.waitForEvent("never"),
});

const parent = workflow({
  name: "abandoning",
  run: async (ctx) => {
    void ctx.step.waitForEvent("lost-wait", { event: "go" });
    void ctx.step.invoke("lost-child", child, undefined);
    void ctx.step.run("lost-call", () => {
      say(`lost-call ${turn}`);
      return forEver();
    });
    await ctx.step.waitForEvent("winner", { event: "win" });
    for (const name of ["lost-wait", "lost-child", "lost-call"]) ctx.step.abandon(name);
    const held = await ctx.step.run("held", () => {
      say(`held ${turn}`);
      return turn === "first" ? forEver() : turn;
    });
    return [held, await ctx.step.waitForEvent("next", { event: "go" })];
  },
});

createWorker({ url, workflows: [parent, child], lease: "2s" });
say("serving");
