/** The automation that a customer builds: "page when a major incident affects production, once an incident". */

const FIELD = "resource('CustomField', 'CF7').id";

export const pageOnMajor = {
  format: 1,
  name: "page-on-major",
  title: "Page for major production incidents",
  triggers: {
    changed: {
      on: "incident.updated",
      when: `event.severity.rank >= resource('Severity', 'SEV2').rank && ${FIELD} in event.fields && event.fields[${FIELD}] == 'production'`,
      once_for: ["event.id"],
      input: { incident: { $path: "event" } },
    },
  },
  nodes: {
    tell: {
      type: "slack.post@1",
      onError: "continue",
      params: {
        incident: { $path: "input.incident.id" },
        text: { $text: "Severity is {{ input.incident.severity.name }}, paging." },
      },
    },
    page: {
      type: "pagerduty.escalate@1",
      params: {
        incident: { $path: "input.incident.id" },
        policy: { $resource: { type: "EscalationPolicy", id: "P7X" } },
      },
    },
  },
  edges: [{ from: "tell", to: "page" }],
};
