/** A run: what it is, what it does, its timeline, and what can be done to it. */
import { ask, follow } from "../api.js";
import {
  badge,
  duration,
  el,
  errorText,
  facts,
  isMeant,
  json,
  note,
  problemBox,
  table,
  time,
} from "../dom.js";
import { timeline } from "../timeline.js";

const STEPS_A_PAGE = 1_000;

export async function showRun(page, { params: [runId], signal }) {
  const path = `v1/runs/${runId}`;
  const steps = [];
  let run = await ask(path, { signal });
  const { versions } = await ask(`v1/workflows/${encodeURIComponent(run.name)}/versions`, {
    signal,
  });
  /** Ready, but no worker has ever registered this version. */
  const isUnserved = () =>
    run.status === "running" &&
    run.activity === "ready" &&
    !versions.some(({ version }) => version === run.version);
  const children = await ask(`${path}/children?limit=100`, { signal }).then(
    (found) => found.children,
  );
  for (let after = 0; after !== null;) {
    const found = await ask(`${path}/steps?after=${after}&limit=${STEPS_A_PAGE}`, { signal });
    steps.push(...found.steps);
    after = found.after;
  }

  const change = async (name, verb, request) => {
    try {
      const { changed, cancelled } = await request();
      note(
        (changed ?? cancelled)
          ? `Run ${runId} ${verb}.`
          : `Run ${runId} was not ${verb}: it is past that.`,
      );
    } catch (error) {
      note(`Can't ${name} run ${runId}: ${error.message}`);
    }
    await lookAgain();
  };
  const post = (name) => () => ask(`${path}/${name}`, { method: "POST" });
  const isRunning = () => run.status === "running";
  const actions = () =>
    [
      isRunning() &&
        run.pausedAt === null &&
        el("button", { onClick: () => change("pause", "paused", post("pause")) }, "Pause"),
      isRunning() &&
        run.pausedAt !== null &&
        el("button", { onClick: () => change("resume", "resumed", post("resume")) }, "Resume"),
      run.status === "failed" &&
        el(
          "button",
          { class: "primary", onClick: () => change("retry", "retried", post("retry")) },
          "Retry",
        ),
      isRunning() &&
        el(
          "button",
          {
            class: "danger",
            onClick: async () => {
              if (!(await isMeant(`Cancel run ${runId} of ${run.name}?`, "Cancel the run"))) return;
              await change("cancel", "cancelled", () =>
                ask(`${path}?reason=${encodeURIComponent("by the dashboard")}`, {
                  method: "DELETE",
                }),
              );
            },
          },
          "Cancel",
        ),
    ].filter(Boolean);

  const top = el("div");
  const bars = el("section", { "aria-label": "Timeline" });
  const values = el("section");
  page.replaceChildren(top, bars, values);

  const drawTop = () =>
    top.replaceChildren(
      el(
        "div",
        { class: "title" },
        el(
          "div",
          {},
          el("h1", {}, `${run.name} `, el("span", { class: "soft" }, runId)),
          badge(run.status),
          " ",
          isUnserved()
            ? badge("unserved", "failing")
            : isRunning() && run.activity !== null
              ? badge(run.activity, run.activity === "paused" ? "paused" : "")
              : "",
        ),
        el("div", { class: "buttons" }, actions()),
      ),
      run.error === null ? "" : problemBox(errorText(run.error)),
      isUnserved()
        ? problemBox(
            `No worker has ever served version ${run.version} of workflow "${run.name}". The run waits until one does.`,
          )
        : "",
      el(
        "div",
        { class: "card" },
        facts(
          [
            [
              "Workflow",
              el("a", { href: `#/runs?${new URLSearchParams({ workflow: run.name })}` }, run.name),
            ],
            ["Version", String(run.version)],
            ["Started", time(run.startedAt)],
            [
              "Took",
              run.completedAt === null
                ? ""
                : duration(new Date(run.completedAt) - new Date(run.startedAt)),
            ],
            ["Resumes", isRunning() && run.resumesAt !== null ? time(run.resumesAt) : ""],
            ["Deadline", run.deadline === null ? "" : time(run.deadline)],
            [
              "Paused",
              run.pausedAt === null
                ? ""
                : [time(run.pausedAt), run.pauseReason === null ? "" : `: ${run.pauseReason}`],
            ],
            ["Key", run.idempotencyKey],
            ["Tags", run.tags === null ? "" : JSON.stringify(run.tags)],
            [
              "Handles the failure of",
              run.failureOf === null
                ? ""
                : el("a", { href: `#/runs/${run.failureOf}` }, run.failureOf),
            ],
            [
              "Repeats",
              run.rerunOf === null ? "" : el("a", { href: `#/runs/${run.rerunOf}` }, run.rerunOf),
            ],
          ].map(([name, value]) => [name, Array.isArray(value) ? el("span", {}, ...value) : value]),
        ),
      ),
    );
  const drawBars = () =>
    bars.replaceChildren(
      el("h2", {}, isRunning() ? el("span", { class: "live" }, "Timeline") : "Timeline"),
      timeline(run, steps, Date.now()),
    );
  const drawValues = () =>
    values.replaceChildren(
      ...(children.length === 0
        ? []
        : [
            el("h2", {}, "Children"),
            table(
              "Children",
              [{ title: "Run" }, { title: "Workflow" }, { title: "Step" }, { title: "Status" }],
              children.map((child) => [
                el("a", { href: `#/runs/${child.runId}`, class: "mono" }, child.runId),
                child.name,
                child.step,
                badge(child.status),
              ]),
              "",
            ),
          ]),
      el("h2", {}, "Input"),
      el(
        "div",
        { class: "card" },
        el("pre", { tabindex: "0" }, run.hasInput ? json(run.input) : "none"),
      ),
      ...(run.status === "completed"
        ? [
            el("h2", {}, "Output"),
            el("div", { class: "card" }, el("pre", { tabindex: "0" }, json(run.output))),
          ]
        : []),
    );
  const draw = () => {
    drawTop();
    drawBars();
    drawValues();
  };
  const lookAgain = async () => {
    const was = run.status;
    run = await ask(path, { signal });
    drawTop();
    drawBars();
    if (run.status !== was) drawValues();
    // A retried run continues.
    if (was !== "running" && isRunning()) void live();
  };
  draw();

  const ticking = setInterval(() => {
    if (signal.aborted) clearInterval(ticking);
    else if (isRunning() && !document.hidden) drawBars();
  }, 1_000);
  signal.addEventListener("abort", () => clearInterval(ticking), { once: true });

  async function live() {
    const events = `v1/workflows/${encodeURIComponent(run.name)}/runs/${runId}/events`;
    for await (const { name, data } of follow(events, signal)) {
      if (name === "step" && !steps.some(({ position }) => position === data.position)) {
        steps.push(data);
        drawBars();
      } else if (name !== "step") await lookAgain().catch(() => {});
    }
  }
  if (isRunning()) void live();
}
