/** The SQL text that the SDK sends for flow control: one constant a function. */
import { call } from "../connection/call.ts";

export const workflowSetFlowControl = call(
  "workflow_set_flow_control",
  `select queue.workflow_set_flow_control(name => $1::text, settings => $2::jsonb, version => $3::integer) as outcome`,
);

export const workflowFlowControl = call(
  "workflow_flow_control",
  `select settings, version, admitted, queued, opens_at from queue.workflow_flow_control(name => $1)`,
);
