/** The definitions of a customer. A product reads them from its own server, which calls Oxbow with a separate token. */
import type { Document } from "@oxbow/declared/check";
import { memoryDefinition } from "@oxbow/editor/memory";
import type { EditorData } from "@oxbow/editor";
import { catalog, resources } from "./catalog.ts";

const DOCUMENTS: Readonly<Record<string, Document>> = {
  "page-on-major": {
    format: 1,
    name: "page-on-major",
    title: "Page for major production incidents",
    input: {
      type: "object",
      required: ["incident"],
      properties: { incident: { $ref: "resource:Incident" } },
    },
    triggers: {
      changed: {
        on: "incident.updated",
        when: "event.incident.severity.rank >= 3 && event.incident.fields.service == 'production'",
        once_for: ["event.incident.id"],
        input: { incident: { $path: "event.incident" } },
      },
    },
    nodes: {
      inform: {
        type: "slack.post@1",
        title: "Inform the channel",
        onError: "continue",
        fallback: null,
        params: {
          channel: { $path: "input.incident.channel" },
          text: { $text: "Severity is {{ input.incident.severity.name }}, paging." },
        },
      },
      page: {
        type: "pagerduty.escalate@1",
        title: "Page on call",
        retry: { attempts: 10 },
        params: {
          policy: { $resource: { type: "EscalationPolicy", id: "P7X" } },
          title: { $path: "input.incident.name" },
          key: { $secret: "pagerduty" },
        },
      },
      answered: {
        type: "branch@1",
        title: "Was the page answered?",
        params: { cases: [{ id: "yes", when: "nodes.page.output.acknowledged" }] },
      },
      similar: {
        type: "incident.find_similar@1",
        params: { incident: { $path: "input.incident.id" } },
      },
      each: {
        type: "for_each@1",
        title: "For each similar incident",
        params: { items: { $path: "nodes.similar.output.incidents" }, concurrency: 3 },
      },
      link: {
        type: "slack.post@1",
        title: "Link it",
        parent: "each",
        params: {
          channel: { $path: "input.incident.channel" },
          text: { $text: "Similar: {{ item.name }}" },
        },
      },
      mail: {
        type: "mail.send@1",
        title: "Mail the managers",
        params: {
          to: ["managers@acme.example"],
          subject: { $text: "No answer for {{ input.incident.name }}" },
        },
      },
    },
    edges: [
      { from: "inform", to: "page" },
      { from: "page", to: "answered" },
      { from: "answered", on: "yes", to: "similar" },
      { from: "similar", to: "each" },
      { from: "answered", on: "else", to: "mail" },
      { from: "page", on: "error", to: "mail" },
    ],
  },
  "new-workflow": { format: 1, name: "new-workflow", title: "New workflow", nodes: {}, edges: [] },
};

export const names = Object.keys(DOCUMENTS);

/** Kept in the browser, so that its tabs share them. */
export function definitionData(name: string): EditorData | undefined {
  const document = DOCUMENTS[name] ?? wide(name);
  return document === undefined
    ? undefined
    : memoryDefinition({ document, catalog, resources, storage: localStorage });
}

/** `many-1000`: a workflow of that many steps, to see how the editor takes it. */
function wide(name: string): Document | undefined {
  const [, digits] = /^many-(\d{1,4})$/.exec(name) ?? [];
  if (digits === undefined) return undefined;
  const count = Math.min(Number(digits), 1_000);
  const nodes = Array.from({ length: count }, (_, at) => [
    `step_${at}`,
    {
      type: "slack.post@1",
      title: `Step ${at}`,
      params: { channel: "general", text: `Number ${at}` },
    },
  ]);
  const edges = Array.from({ length: count - 1 }, (_, at) => ({
    from: `step_${Math.floor(at / 4)}`,
    to: `step_${at + 1}`,
  }));
  return { format: 1, name, nodes: Object.fromEntries(nodes) as Document["nodes"], edges };
}
