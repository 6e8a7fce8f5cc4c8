/** The SQL text that the SDK sends about the identity of the database. */
import { call } from "../connection/call.ts";

export const incarnation = call(
  "incarnation",
  `select i.incarnation_id as id, i.state from queue.incarnation() as i where i.incarnation_id is not null`,
);
