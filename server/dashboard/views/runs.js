/** Runs, newest first, by filter; those of one workflow live. */
import { ask, follow } from "../api.js";
import { badge, duration, el, errorText, problemBox, table, time } from "../dom.js";
import { refresh } from "../refresh.js";

const PAGE = 50;
const STATUSES = ["running", "completed", "failed", "cancelled"];
const SINCE = { "1h": 3_600_000, "1d": 86_400_000, "7d": 604_800_000 };

export async function showRuns(page, { query, signal }) {
  const { workflows } = await ask("v1/workflows", { signal });
  const workflow = query.get("workflow") ?? "";
  const list = el("div", { "aria-live": "off" });
  const more = el("div", { class: "buttons" });
  const live = el("span", { class: "soft" });
  const names = [...new Set([...workflows.map(({ name }) => name), workflow])].filter(Boolean);
  page.replaceChildren(
    el(
      "div",
      { class: "title" },
      el("h1", {}, workflow === "" ? "Runs" : `Runs of ${workflow}`),
      live,
    ),
    filters(names, query),
    list,
    el("p", {}, more),
  );

  let conditions;
  try {
    conditions = conditionsOf(query);
  } catch (error) {
    list.replaceChildren(problemBox(error.message));
    return;
  }
  const search = (before) =>
    ask("v1/runs/search", {
      method: "POST",
      signal,
      body: { conditions, maxRuns: PAGE, ...(before === undefined ? {} : { before }) },
    }).then(({ runs }) => runs);

  let later = [];
  const show = (first) => {
    const runs = [
      ...first,
      ...later.filter(({ runId }) => !first.some((one) => one.runId === runId)),
    ];
    list.replaceChildren(runTable(runs, workflow));
    more.replaceChildren(
      ...(runs.length % PAGE === 0 && runs.length > 0
        ? [
            el(
              "button",
              {
                onClick: async () => {
                  later = [...later, ...(await search(runs.at(-1).cursor))];
                  show(first);
                },
              },
              "Older runs",
            ),
          ]
        : []),
    );
  };
  const look = async () => show(await search());
  await refresh(look, 5_000, signal);
  if (workflow === "") return;
  live.className = "soft live";
  live.textContent = "live";
  void followWorkflow(workflow, look, signal);
}

/** Many events, one look. */
async function followWorkflow(workflow, look, signal) {
  let timer;
  const lookSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (!signal.aborted) void look().catch(() => {});
    }, 300);
  };
  const path = `v1/workflows/${encodeURIComponent(workflow)}/events`;
  for await (const { name } of follow(path, signal)) if (name === "run") lookSoon();
}

function runTable(runs, workflow) {
  return table(
    "Runs",
    [
      { title: "Run" },
      ...(workflow === "" ? [{ title: "Workflow" }] : []),
      { title: "Status" },
      { title: "Started" },
      { title: "Took", number: true, wide: true },
      { title: "About", long: true, wide: true },
    ],
    runs.map((run) => [
      el("a", { href: `#/runs/${run.runId}`, class: "mono" }, run.runId),
      ...(workflow === "" ? [run.name] : []),
      run.pausedAt === null || run.status !== "running" ? badge(run.status) : badge("paused"),
      time(run.startedAt),
      run.completedAt === null ? "" : duration(new Date(run.completedAt) - new Date(run.startedAt)),
      aboutRun(run),
    ]),
    "No run fits.",
  );
}

function aboutRun({ error, tags, idempotencyKey }) {
  const words = errorText(error) || (tags === null ? (idempotencyKey ?? "") : JSON.stringify(tags));
  return words.length > 160 ? `${words.slice(0, 159)}…` : words;
}

/** Each change is another address, so that "back" undoes it, and the address can be shared. */
function filters(names, query) {
  const choice = (label, name, options) =>
    el(
      "label",
      {},
      label,
      el(
        "select",
        { name },
        options.map(([value, text]) =>
          el("option", { value, selected: (query.get(name) ?? "") === value }, text),
        ),
      ),
    );
  const text = (label, name, placeholder) =>
    el("label", {}, label, el("input", { name, placeholder, value: query.get(name) ?? "" }));
  const form = el(
    "form",
    {
      class: "filters",
      role: "search",
      onChange: () => go(form),
      onSubmit: (event) => {
        event.preventDefault();
        go(form);
      },
    },
    choice("Workflow", "workflow", [["", "all"], ...names.map((name) => [name, name])]),
    choice("Status", "status", [
      ["", "all"],
      ...STATUSES.map((one) => [one, one]),
      ["paused", "paused"],
    ]),
    choice("Started", "since", [
      ["", "at any time"],
      ["1h", "in the last hour"],
      ["1d", "in the last day"],
      ["7d", "in the last week"],
    ]),
    text("Tags contain", "tags", '{"customer": 7}'),
    text("Input contains", "input", '{"order": 42}'),
    text("Run id", "id", "123"),
  );
  return form;
}

function go(form) {
  const values = [...new FormData(form)].filter(([, value]) => value !== "");
  const id = values.find(([name]) => name === "id")?.[1].trim();
  location.hash =
    id !== undefined && /^\d+$/.test(id) ? `#/runs/${id}` : `#/runs?${new URLSearchParams(values)}`;
}

function conditionsOf(query) {
  const jsonIn = (name) => {
    const text = query.get(name);
    if (text === null) return {};
    try {
      return { [name]: JSON.parse(text) };
    } catch {
      throw new Error(`"${text}" is no JSON: write ${name} as {"name": value}.`);
    }
  };
  const status = query.get("status");
  const since = SINCE[query.get("since")];
  return {
    ...(query.has("workflow") ? { name: query.get("workflow") } : {}),
    ...(status === "paused" ? { paused: true } : status === null ? {} : { status: [status] }),
    ...(since === undefined ? {} : { startedAfter: new Date(Date.now() - since).toISOString() }),
    ...jsonIn("tags"),
    ...jsonIn("input"),
  };
}
