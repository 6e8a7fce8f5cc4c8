/** The node types that every worker knows. */
import type { NodeDescriptor } from "../descriptor.ts";
import { APPROVE } from "./approve.ts";
import { BRANCH } from "./branch.ts";
import { DELAY } from "./delay.ts";
import { END } from "./end.ts";
import { FOR_EACH } from "./for-each.ts";
import { HTTP_REQUEST } from "./http-request.ts";
import { JS } from "./js.ts";
import { QUEUE_SEND } from "./queue-send.ts";
import { REPEAT } from "./repeat.ts";
import { RUN } from "./run.ts";
import { SET } from "./set.ts";
import { SQL_QUERY } from "./sql-query.ts";
import { TOPIC_PUBLISH } from "./topic-publish.ts";
import { WAIT } from "./wait.ts";

/** The descriptors of the built-in node types, in the order of palettes. */
export const BUILT_IN_NODE_TYPES: readonly NodeDescriptor[] = [
  BRANCH,
  SET,
  DELAY,
  WAIT,
  APPROVE,
  RUN,
  FOR_EACH,
  REPEAT,
  HTTP_REQUEST,
  SQL_QUERY,
  QUEUE_SEND,
  TOPIC_PUBLISH,
  JS,
  END,
];
