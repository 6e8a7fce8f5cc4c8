/** Elements, and how values are shown. All text goes in as text, never as HTML. */

/** An element: properties, attributes where there is no such property, handlers as onClick. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2).toLowerCase(), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== ""));
  return element;
}

const classes = ({ number, wide, long }) =>
  [number && "number", wide && "wide", long && "long"].filter(Boolean).join(" ") || undefined;

/**
 * A table that can be looked at on a phone.
 *
 * @param columns [{ title, number?, wide?, long? }]; a wide one is left out on phones.
 */
export function table(caption, columns, rows, empty) {
  if (rows.length === 0) return el("div", { class: "card" }, el("p", { class: "empty" }, empty));
  return el(
    "div",
    { class: "card", tabindex: "0", role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          columns.map((column) => el("th", { scope: "col", class: classes(column) }, column.title)),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map((cells) =>
          el(
            "tr",
            {},
            cells.map((cell, index) =>
              el("td", { class: classes(columns[index]) }, ...[cell].flat()),
            ),
          ),
        ),
      ),
    ),
  );
}

export const facts = (pairs) =>
  el(
    "dl",
    { class: "facts" },
    pairs
      .filter(([, value]) => value !== undefined && value !== null && value !== "")
      .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );

export const badge = (text, look = text) => el("span", { class: `badge ${look}` }, text);

export const problemBox = (message) => el("p", { class: "problem", role: "alert" }, message);

export function note(message) {
  const paragraph = el("p", {}, message);
  document.querySelector("#notes").append(paragraph);
  setTimeout(() => paragraph.remove(), 6_000);
}

/** Whether the user confirms. */
export function isMeant(question, yes) {
  const dialog = document.querySelector("#confirm-dialog");
  document.querySelector("#confirm-title").textContent = question;
  document.querySelector("#confirm-yes").textContent = yes;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
];

/** As "3d 4h", "1m 4s", "1.2s", "40ms". */
export function duration(ms) {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < 60_000) return `${Math.round(ms / 100) / 10}s`;
  const index = UNITS.findIndex(([, size]) => ms >= size);
  const [unit, size] = UNITS[index];
  const [nextUnit, nextSize] = UNITS[index + 1];
  const rest = Math.floor((ms % size) / nextSize);
  return `${Math.floor(ms / size)}${unit}${rest === 0 ? "" : ` ${rest}${nextUnit}`}`;
}

/** A time, relative to now; the tooltip shows it in full. */
export function time(text) {
  if (text === null || text === undefined) return "";
  const at = new Date(text);
  const ms = Date.now() - at.getTime();
  const words = ms >= 0 ? `${duration(ms)} ago` : `in ${duration(-ms)}`;
  return el("time", { datetime: at.toISOString(), title: at.toLocaleString() }, words);
}

export const json = (value) => JSON.stringify(value, undefined, 2) ?? "";

export const errorText = (error) =>
  error === null || error === undefined
    ? ""
    : `${error.name ?? "Error"}: ${error.message ?? JSON.stringify(error)}`;
