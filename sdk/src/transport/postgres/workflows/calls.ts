/** The SQL text that the SDK sends for registered versions: one constant a function. */
import { call } from "../connection/call.ts";

export const workflowRegister = call(
  "workflow_register",
  `select queue.workflow_register(
     names => $1::text[], versions => $2::integer[], retention_days => $3::integer[],
     deadline_seconds => $4::numeric[], on_failure => $5::text[]) as changed`,
);

export const workflowUnregister = call(
  "workflow_unregister",
  `select queue.workflow_unregister(name => $1::text, version => $2::integer) as unregistered`,
);

export const workflowVersions = call(
  "workflow_versions",
  `select workflow, version, retention_days, (deadline_seconds * 1000)::float8 as deadline_ms, on_failure,
     registered_at
   from queue.workflow_versions(name => $1::text)`,
);

export const workflowTally = call(
  "workflow_tally",
  `select name, running::float8, completed::float8, failed::float8, cancelled::float8
   from queue.workflow_tally()`,
);
