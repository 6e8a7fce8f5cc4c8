import { approve } from "./approve.ts";
import type { MakeBehaviour } from "./behaviour.ts";
import { branch } from "./branch.ts";
import { delay } from "./delay.ts";
import type { NodeDescriptor } from "./descriptor.ts";
import { APPROVE } from "./descriptors/approve.ts";
import { BRANCH } from "./descriptors/branch.ts";
import { DELAY } from "./descriptors/delay.ts";
import { END } from "./descriptors/end.ts";
import { FOR_EACH } from "./descriptors/for-each.ts";
import { REPEAT } from "./descriptors/repeat.ts";
import { RUN } from "./descriptors/run.ts";
import { SET } from "./descriptors/set.ts";
import { TOPIC_PUBLISH } from "./descriptors/topic-publish.ts";
import { WAIT } from "./descriptors/wait.ts";
import { end } from "./end.ts";
import { forEach } from "./for-each.ts";
import { repeat } from "./repeat.ts";
import { run } from "./run.ts";
import { httpRequest } from "./http-request.ts";
import { js } from "./js.ts";
import type { NodeType } from "./node-type.ts";
import { queueSend } from "./queue-send.ts";
import { set } from "./set.ts";
import { sqlQuery } from "./sql-query.ts";
import { topicPublish } from "./topic-publish.ts";
import { wait } from "./wait.ts";

const BEHAVIOURS: readonly (readonly [NodeDescriptor, MakeBehaviour])[] = [
  [APPROVE, approve],
  [BRANCH, branch],
  [DELAY, delay],
  [END, end],
  [FOR_EACH, forEach],
  [REPEAT, repeat],
  [RUN, run],
  [SET, set],
  [TOPIC_PUBLISH, topicPublish],
  [WAIT, wait],
];

/** The node types that call no handler, by name and version. */
export const BUILT_IN: ReadonlyMap<string, MakeBehaviour> = new Map(
  BEHAVIOURS.map(([{ type }, behaviour]) => [type, behaviour]),
);

/** Node types that call a handler, as they are unless a worker has its own. */
export const BUILT_IN_CALLS: ReadonlyMap<string, NodeType> = new Map(
  [httpRequest(), js(), queueSend(), sqlQuery()].map((type) => [type.id, type]),
);
