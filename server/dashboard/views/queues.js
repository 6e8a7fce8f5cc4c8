/** Queues, and what is in them. */
import { ask } from "../api.js";
import { duration, el, table } from "../dom.js";
import { refresh } from "../refresh.js";

const AT_ONCE = 4;

export async function showQueues(page, { signal }) {
  const list = el("div");
  page.replaceChildren(el("div", { class: "title" }, el("h1", {}, "Queues")), list);
  await refresh(
    async () => {
      const { queues } = await ask("v1/queues", { signal });
      const found = await inTurn(queues, ({ name }) =>
        ask(`v1/queues/${encodeURIComponent(name)}`, { signal }),
      );
      list.replaceChildren(
        table(
          "Queues",
          [
            { title: "Queue" },
            { title: "Kind", wide: true },
            { title: "Ready", number: true },
            { title: "In flight", number: true },
            { title: "Delayed", number: true },
            { title: "Oldest", number: true },
            { title: "Dead letters to", wide: true },
          ],
          found.map((queue) => [
            queue.name,
            queue.fifo ? "FIFO" : "standard",
            queue.visible.toLocaleString(),
            queue.inFlight.toLocaleString(),
            queue.delayed.toLocaleString(),
            queue.oldestMessageAge === null ? "" : duration(queue.oldestMessageAge * 1_000),
            queue.deadLetterQueue ?? "",
          ]),
          "No queue yet.",
        ),
      );
    },
    5_000,
    signal,
  );
}

/** A few at a time: there may be hundreds. */
async function inTurn(items, work) {
  const results = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await work(items[index]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
