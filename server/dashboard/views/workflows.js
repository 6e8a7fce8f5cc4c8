/** Workflows, and how many runs of each have which status. */
import { ask } from "../api.js";
import { el, table } from "../dom.js";
import { refresh } from "../refresh.js";

const STATUSES = ["running", "completed", "failed", "cancelled"];

export async function showWorkflows(page, { signal }) {
  const list = el("div");
  page.replaceChildren(el("div", { class: "title" }, el("h1", {}, "Workflows")), list);
  await refresh(
    async () => {
      const { workflows } = await ask("v1/workflows", { signal });
      list.replaceChildren(
        table(
          "Workflows",
          [
            { title: "Workflow" },
            ...STATUSES.map((status) => ({
              title: status[0].toUpperCase() + status.slice(1),
              number: true,
            })),
          ],
          workflows.map((workflow) => [
            link(workflow.name, workflow.name),
            ...STATUSES.map((status) =>
              workflow[status] === 0
                ? el("span", { class: "soft" }, "0")
                : link(workflow.name, workflow[status].toLocaleString(), status),
            ),
          ]),
          "No run yet. Start one by `oxbow start`, a client, or POST /v1/workflows/{name}/runs.",
        ),
      );
    },
    5_000,
    signal,
  );
}

function link(name, text, status) {
  const query = new URLSearchParams({
    workflow: name,
    ...(status === undefined ? {} : { status }),
  });
  const label = status === undefined ? undefined : `${text} ${status} runs of ${name}`;
  return el("a", { href: `#/runs?${query}`, "aria-label": label }, text);
}
