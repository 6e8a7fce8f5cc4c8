/** Schedules, their last and their next tick. */
import { ask } from "../api.js";
import { badge, duration, el, table, time } from "../dom.js";
import { refresh } from "../refresh.js";

export async function showSchedules(page, { signal }) {
  const list = el("div");
  page.replaceChildren(el("div", { class: "title" }, el("h1", {}, "Schedules")), list);
  await refresh(
    async () => {
      const { schedules } = await ask("v1/schedules", { signal });
      list.replaceChildren(
        table(
          "Schedules",
          [
            { title: "Schedule" },
            { title: "Workflow" },
            { title: "When" },
            { title: "Next" },
            { title: "Last", wide: true },
          ],
          schedules.map((one) => [
            one.name,
            el(
              "a",
              { href: `#/runs?${new URLSearchParams({ workflow: one.workflow })}` },
              one.workflow,
            ),
            one.cron === null
              ? `every ${duration(one.everySeconds * 1_000)}`
              : el("span", {}, el("code", {}, one.cron), ` ${one.timeZone}`),
            one.pausedAt === null
              ? time(one.nextTickAt)
              : el("span", { title: one.pauseReason ?? undefined }, badge("paused")),
            one.lastRunId === null
              ? time(one.lastTickAt)
              : el("a", { href: `#/runs/${one.lastRunId}` }, time(one.lastTickAt)),
          ]),
          "No schedule.",
        ),
      );
    },
    10_000,
    signal,
  );
}
