/** Subscriptions of topics; ones whose url has failed for days can be enabled again. */
import { ask } from "../api.js";
import { badge, el, note, table, time } from "../dom.js";
import { refresh } from "../refresh.js";

/** A screen is seen by others, too: without the password. */
const maskedUrl = (target) =>
  target.replace(/^(https?:\/\/)([^/?#]*)@/i, (_, scheme, user) =>
    user.includes(":") ? `${scheme}${user.split(":")[0]}:***@` : `${scheme}***@`,
  );

export async function showSubscriptions(page, { signal }) {
  const list = el("div");
  page.replaceChildren(el("div", { class: "title" }, el("h1", {}, "Subscriptions")), list);
  const look = async () => {
    const { subscriptions } = await ask("v1/subscriptions", { signal });
    list.replaceChildren(
      table(
        "Subscriptions",
        [
          { title: "Pattern" },
          { title: "To" },
          { title: "Target", long: true },
          { title: "State" },
          { title: "Filter", wide: true },
          { title: "Options", wide: true },
        ],
        subscriptions.map((one) => [
          el("code", {}, one.pattern),
          one.type,
          maskedUrl(one.target),
          stateOf(one, look),
          one.filter === null ? "" : el("code", {}, JSON.stringify(one.filter)),
          Object.keys(one.options ?? {}).length === 0
            ? ""
            : el("code", {}, JSON.stringify(one.options)),
        ]),
        "No subscription.",
      ),
    );
  };
  await refresh(look, 10_000, signal);
}

function stateOf({ subscriptionId: id, disabledAt, disabledReason, failingSince }, look) {
  if (disabledAt === null) {
    return failingSince === null
      ? ""
      : el("span", {}, badge("failing"), " since ", time(failingSince));
  }
  const enable = async () => {
    try {
      await ask(`v1/subscriptions/${id}/enable`, { method: "POST" });
      note(`Delivering to subscription ${id} again.`);
    } catch (error) {
      note(`Can't enable subscription ${id}: ${error.message}`);
    }
    await look();
  };
  return el(
    "span",
    {},
    badge("disabled"),
    " ",
    time(disabledAt),
    `: ${disabledReason} `,
    el("button", { onClick: enable }, "Enable"),
  );
}
