/** The dashboard: a view for each address behind the "#", which is left when another one is shown. */
import { authorization, Problem } from "./api.js";
import { problemBox } from "./dom.js";
import { showQueues } from "./views/queues.js";
import { showRun } from "./views/run.js";
import { showRuns } from "./views/runs.js";
import { showSchedules } from "./views/schedules.js";
import { showSubscriptions } from "./views/subscriptions.js";
import { showWorkflows } from "./views/workflows.js";

const VIEWS = [
  [/^\/$/, showWorkflows],
  [/^\/runs$/, showRuns],
  [/^\/runs\/(\d+)$/, showRun],
  [/^\/queues$/, showQueues],
  [/^\/schedules$/, showSchedules],
  [/^\/subscriptions$/, showSubscriptions],
];

const main = document.querySelector("#main");
const COPIES = {
  held: "This database is a copy, and held: no run continues until `oxbow fork release`.",
  sandbox: "This database is a sandbox: what it would send to urls is captured.",
};
let leaving = new AbortController();

async function show(isFirst = false) {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const [path, query = ""] = (location.hash.slice(1) || "/").split("?");
  const section = `#/${path.split("/")[1]}`;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === section) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const page = document.createElement("div");
  main.replaceChildren(page);
  // Announces the new page to screen readers.
  if (!isFirst) main.focus();
  const [pattern, view] = VIEWS.find(([one]) => one.test(path)) ?? [];
  try {
    if (view === undefined) throw new Error("There is no such page.");
    await view(page, {
      signal,
      params: pattern.exec(path).slice(1),
      query: new URLSearchParams(query),
    });
  } catch (error) {
    if (signal.aborted) return;
    const isKnown = error instanceof Problem || error instanceof Error;
    page.replaceChildren(problemBox(isKnown ? error.message : String(error)));
  }
  document.title = `${page.querySelector("h1")?.textContent ?? "Oxbow"} · Oxbow`;
}

/** A copy must not look like the original. */
async function tellIncarnation() {
  const { incarnation } = await fetch("readyz", { cache: "no-store", headers: authorization() })
    .then((response) => response.json())
    .catch(() => ({}));
  const line = document.querySelector("#incarnation");
  line.textContent = COPIES[incarnation] ?? "";
  line.hidden = line.textContent === "";
}

addEventListener("hashchange", () => {
  void show();
  void tellIncarnation();
});
// Hidden without a token.
addEventListener("oxbow-token", () => void tellIncarnation());
void tellIncarnation();
void show(true);
