/** The SQL text that the SDK sends for topics: one constant a function. */
import { call } from "./calls.ts";

export const subscribe = call(
  "subscribe",
  `select queue.subscribe(
     pattern => $1, target_type => $2, target => $3, filter => $4::jsonb, options => $5::jsonb) as id`,
);

export const unsubscribe = call("unsubscribe", `select queue.unsubscribe(id => $1) as was_there`);

export const listSubscriptions = call(
  "list_subscriptions",
  `select subscription_id, pattern, target_type, target, filter, options, created_at
   from queue.list_subscriptions(pattern => $1)`,
);

export const sendTopic = call(
  "send_topic",
  `select queue.send_topic(topic => $1, message => $2::jsonb, headers => $3::jsonb) as reached`,
);
