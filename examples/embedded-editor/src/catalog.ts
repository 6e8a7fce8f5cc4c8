/** The catalog of Acme Incidents: the node types, events and things that its customers build with. */
import type { CatalogData, ResourceOption } from "@oxbow/editor";

const severity = {
  type: "object",
  required: ["id", "name", "rank"],
  properties: { id: { type: "string" }, name: { type: "string" }, rank: { type: "integer" } },
} as const;

const incident = {
  type: "object",
  required: ["id", "name", "channel", "severity", "fields"],
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    channel: { type: "string" },
    lead: { type: "string" },
    severity,
    fields: {
      type: "object",
      required: ["service"],
      properties: { service: { type: "string" }, region: { type: "string" } },
    },
  },
} as const;

export const catalog: CatalogData = {
  nodeTypes: [
    {
      type: "slack.post@1",
      title: "Post to Slack",
      description: "Posts a message to a channel.",
      category: "Messages",
      icon: "chat",
      effects: "writes",
      params: {
        type: "object",
        required: ["channel", "text"],
        additionalProperties: false,
        properties: {
          channel: { type: "string", title: "Channel" },
          text: { type: "string", title: "Text", widget: "textarea" },
          thread: { type: "string", title: "Thread", group: "More" },
          attempts: { type: "integer", title: "Attempts", minimum: 1, maximum: 5 },
        },
      },
      output: { type: "object", required: ["ts"], properties: { ts: { type: "string" } } },
    },
    {
      type: "mail.send@1",
      title: "Send an e-mail",
      description: "Sends a message to people.",
      category: "Messages",
      icon: "mail",
      effects: "writes",
      params: {
        type: "object",
        required: ["to", "subject"],
        additionalProperties: false,
        properties: {
          to: { type: "array", items: { type: "string" }, title: "Recipients" },
          subject: { type: "string", title: "Subject" },
          body: { type: "string", title: "Body", widget: "textarea" },
          tracked: { type: "boolean", title: "Count who opens it", default: true },
        },
      },
    },
    {
      type: "pagerduty.escalate@1",
      title: "Page by PagerDuty",
      description: "Pages the person on call by an escalation policy.",
      category: "Alerts",
      icon: "siren",
      effects: "writes",
      params: {
        type: "object",
        required: ["policy", "title", "key"],
        additionalProperties: false,
        properties: {
          policy: { type: "string", title: "Escalation policy", resource: "EscalationPolicy" },
          title: { type: "string", title: "Title" },
          key: { type: "string", title: "API key", widget: "secret" },
          urgency: { enum: ["high", "low"], title: "Urgency", default: "high" },
          attempts: { type: "integer", title: "Repeats", minimum: 1, maximum: 10 },
        },
      },
      output: {
        type: "object",
        required: ["pageId", "acknowledged"],
        properties: {
          pageId: { type: "string" },
          acknowledged: { type: "boolean" },
          responder: { type: "string" },
        },
      },
    },
    {
      type: "incident.find_similar@1",
      title: "Find similar incidents",
      description: "Searches closed incidents for similar ones.",
      category: "Data",
      icon: "database",
      effects: "reads",
      params: {
        type: "object",
        required: ["incident"],
        additionalProperties: false,
        properties: {
          incident: { type: "string", title: "Incident" },
          most: { type: "integer", title: "At most", default: 5 },
        },
      },
      output: {
        type: "object",
        required: ["incidents"],
        properties: { incidents: { type: "array", items: { $ref: "resource:Incident" } } },
      },
    },
    {
      type: "incident.set_severity@1",
      title: "Set the severity",
      description: "Changes the severity of an incident.",
      category: "Data",
      icon: "warning",
      effects: "writes",
      params: {
        type: "object",
        required: ["incident", "severity"],
        additionalProperties: false,
        properties: {
          incident: { type: "string", title: "Incident" },
          severity: { type: "string", title: "Severity", resource: "Severity" },
        },
      },
    },
  ],
  triggers: [
    {
      on: "incident.updated",
      title: "An incident changes",
      description: "Whenever the status, a field or the severity of an incident changes.",
      event: {
        type: "object",
        required: ["incident"],
        properties: { incident: { $ref: "resource:Incident" } },
      },
    },
    {
      on: "incident.created",
      title: "An incident is reported",
      event: {
        type: "object",
        required: ["incident"],
        properties: { incident: { $ref: "resource:Incident" } },
      },
    },
  ],
  resourceTypes: [
    { type: "Incident", schema: incident },
    { type: "Severity", schema: severity },
    { type: "EscalationPolicy", title: "Escalation policy" },
  ],
  secrets: ["pagerduty", "slack"],
  config: [{ name: "status_page_url", schema: { type: "string" } }],
  workflows: [{ name: "open-postmortem", title: "Open a post-mortem" }],
};

export const resources: Readonly<Record<string, readonly ResourceOption[]>> = {
  EscalationPolicy: [
    { id: "P7X", title: "Production on call" },
    { id: "P2K", title: "Payments on call" },
    { id: "PDB", title: "Databases" },
  ],
  Severity: [
    { id: "01FD1", title: "Minor" },
    { id: "01FD7", title: "Major" },
    { id: "01FD9", title: "Critical" },
  ],
  Incident: [{ id: "INC-42", title: "Checkout is slow" }],
};
