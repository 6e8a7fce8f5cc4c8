/** The conversation of a run with its models. */
import { expect, it } from "vitest";
import { Latch } from "../helpers/latch.ts";
import { answers, refunds, repeats, said } from "./agents.ts";
import { MARKUP } from "./workflows.ts";
import { openTab, world } from "./world.ts";

export function describeConversation(): void {
  it("shows messages, reasoning, tools and tokens, and leads to the request that the run waits for", async () => {
    const { bench } = world();
    const definition = refunds("refunds");
    bench.serve([definition]);
    const { runId } = await bench.client.start(definition, { messages: [said("user", MARKUP)] });
    const tab = await openTab(`#/runs/${runId}`);
    const shown = await tab.shows(/refund waiting\s+Waits for approval/, ".conversation");
    expect(shown).toMatch(/User\s+<img src=x[^]*Assistant/);
    expect(shown).toMatch(/I look for it\.[^]*search done[^]*Input \{"order":7\}[^]*"found"/);
    expect(shown).toMatch(/explode failed[^]*exploded/);
    expect(shown).toMatch(/3 tokens in · 5 tokens out/);
    expect(shown).not.toContain("The order comes first");
    await tab.press("Reasoning");
    await tab.shows(/The order comes first\. <img/, ".conversation");
    await tab.shows(/2 calls, 6 tokens in, 10 tokens out/);
    await tab.press("search");
    await tab.shows(/Tool search[^]*Input[^]*"order": 7[^]*Result/, ".dialog");
    await tab.page.keyboard.press("Escape");
    await tab.press("Waits for approval");
    await tab.shows(/Call the tool refund\?\s+waiting/);
    await tab.press("Approve…");
    await tab.press("Approve");
    await tab.shows(/and the run continues/, ".notes");
    await tab.page.goBack();
    await tab.shows(/refund done\s+Approval approved[^]*It is refunded\./, ".conversation");
    expect(await tab.count(".conversation :is(b, img)")).toBe(0);
  });

  it("shows an answer while it arrives, and drops what a repeated call had said", async () => {
    const { bench } = world();
    const [first, second] = [new Latch(), new Latch()];
    const definition = repeats("repeats", [first.pass, second.pass]);
    bench.serve([definition]);
    const { runId } = await bench.client.start(definition, { messages: [said("user", "Why?")] });
    const tab = await openTab(`#/runs/${runId}`);
    await tab.shows(/Why\?[^]*A0 more\s+Answering…/, ".conversation");
    first.open();
    const shown = await tab.shows(/B0 more\s+Answering…/, ".conversation");
    expect(shown).not.toContain("A0");
    second.open();
    const whole = await tab.shows(/B0 more end[^]*5 tokens out/, ".conversation");
    expect(whole.match(/B0/g)).toHaveLength(1);
    expect(whole).not.toContain("Answering…");
  });

  it("keeps the unfinished answer of a cancelled run", async () => {
    const { bench } = world();
    const hold = new Latch();
    const definition = repeats("cancelled-answer", [hold.pass]);
    bench.serve([definition]);
    const run = await bench.client.start(definition, { messages: [said("user", "Why?")] });
    const tab = await openTab(`#/runs/${run.runId}`);
    await tab.shows(/A0 more\s+Answering…/, ".conversation");
    await run.cancel();
    await tab.shows(/A0 more\s+Not finished/, ".conversation");
    hold.open();
  });

  it("shows the last of a thousand messages, and earlier ones when asked", async () => {
    const { bench } = world();
    const definition = answers("long-chat");
    bench.serve([definition]);
    const messages = Array.from({ length: 1_001 }, (_, n) =>
      said(n % 2 === 0 ? "user" : "assistant", `message ${n}`),
    );
    const run = await bench.client.start(definition, { messages });
    await run.result();
    const tab = await openTab(`#/runs/${run.runId}`);
    const shown = await tab.shows(/Fine\./, ".conversation");
    expect(shown).toMatch(/902 more[^]*message 902[^]*message 1000/);
    expect(await tab.count(".conversation .message")).toBe(100);
    await tab.press("Earlier messages");
    await tab.shows(/802 more[^]*message 802/, ".conversation");
  });

  it("is neither shown nor loaded for a run without models", async () => {
    const { bench } = world();
    const run = await bench.client.start("talks");
    const asked: string[] = [];
    const tab = await openTab("#/runs");
    tab.page.on("request", (request) => void asked.push(request.url()));
    await tab.goTo(`#/runs/${run.runId}`);
    await tab.shows(/Journal[^]*"progress": 50/);
    expect(await tab.text()).not.toContain("Conversation");
    expect(asked.filter((url) => /conversation|approvals/i.test(url))).toEqual([]);
    expect(asked.length).toBeGreaterThan(0);
  });
}
