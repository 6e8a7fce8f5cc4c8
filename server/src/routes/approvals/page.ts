/** The pages behind links to requests for approval. They work without scripts, and a form is sent only by POST. */
import type { Approval } from "@oxbow/sdk/internal/server";
import { escaped } from "../../http/html.ts";
import { type Field, fieldsOf } from "./form-fields.ts";

/** @param problem Why the last attempt was refused. */
export function requestPage(
  approval: Approval,
  actor: string,
  { problem, given = {} }: { readonly problem?: string; readonly given?: Given } = {},
): string {
  const { title, description, workflow, expiresAt, status } = approval;
  const hasDecided = approval.decisions.some((decision) => decision.actor === actor);
  const facts = `
      <h1>${escaped(title)}</h1>
      ${description === null ? "" : `<p class="description">${escaped(description)}</p>`}
      <p>The workflow <b>${escaped(workflow)}</b> asks you, <b>${escaped(actor)}</b>.${
        status === "waiting" && expiresAt !== null
          ? ` Decide before ${escaped(expiresAt.toUTCString())}.`
          : ""
      }</p>`;
  if (status !== "waiting") return page(title, `${facts}<p role="status">${ENDINGS[status]}</p>`);
  if (hasDecided) {
    return page(
      title,
      `${facts}<p role="status">Your decision is recorded. Others must decide too.</p>`,
    );
  }
  return page(
    title,
    `${facts}
      ${problem === undefined ? "" : `<p role="alert">${escaped(problem)}</p>`}
      <form method="post">
        ${fieldsOf(approval.form)
          .map((field, index) => control(field, index, given))
          .join("\n")}
        <p>
          <button name="decision" value="approved">Approve</button>
          <button name="decision" value="rejected" formnovalidate>Reject</button>
        </p>
      </form>`,
  );
}

/** What was filled in, by the name of the control. */
export type Given = Readonly<Record<string, string>>;

export const noRequestPage = (): string =>
  page(
    "No request",
    `<h1>No request</h1>
      <p role="alert">This link leads to no request: it is wrong, or the request was deleted with its run.</p>`,
  );

const ENDINGS: Readonly<Record<Exclude<Approval["status"], "waiting">, string>> = {
  approved: "This request was approved.",
  rejected: "This request was rejected.",
  expired: "This request has expired.",
  withdrawn: "This request was withdrawn: the run has ended, or no longer waits for it.",
};

function control(field: Field, index: number, given: Given): string {
  const id = `f${index}`;
  const value = given[id] ?? field.initial;
  const label = `<label for="${id}">${escaped(field.title)}</label>`;
  const hint = field.description === "" ? "" : `<small>${escaped(field.description)}</small>`;
  const required = field.isRequired && field.kind !== "flag" ? " required" : "";
  const attributes = `id="${id}" name="${id}"${required}`;
  switch (field.kind) {
    case "flag":
      return `<p><input type="checkbox" ${attributes}${value === "on" ? " checked" : ""} /> ${label} ${hint}</p>`;
    case "choice":
      return `<p>${label} <select ${attributes}>${[
        ...(field.isRequired ? [] : [""]),
        ...field.choices,
      ]
        .map(
          (choice) =>
            `<option value="${escaped(choice)}"${choice === value ? " selected" : ""}>${escaped(choice)}</option>`,
        )
        .join("")}</select> ${hint}</p>`;
    case "number":
      return `<p>${label} <input type="number" step="${field.isWhole ? "1" : "any"}" ${attributes} value="${escaped(value)}" /> ${hint}</p>`;
    case "text":
      return `<p>${label} <input ${attributes} value="${escaped(value)}" /> ${hint}</p>`;
    case "long-text":
    case "json":
      return `<p>${label} <textarea rows="4" ${attributes}>\n${escaped(value)}</textarea> ${hint}</p>`;
    default:
      return field.kind satisfies never;
  }
}

const page = (title: string, main: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="robots" content="noindex" />
    <title>${escaped(title)} – Oxbow</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      ${main}
    </main>
  </body>
</html>
`;

/** Its hash is in the policy of the pages. */
export const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 40rem; margin: 3rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
.description { white-space: pre-line; }
label { display: block; font-weight: 600; }
input[type="checkbox"] + label { display: inline; }
input:not([type="checkbox"]), select, textarea { width: 100%; box-sizing: border-box; font: inherit; padding: 0.4rem; }
small { display: block; }
button { font: inherit; padding: 0.5rem 1.2rem; margin-right: 0.5rem; }
[role="alert"] { border-left: 4px solid; padding-left: 0.8rem; }`;
