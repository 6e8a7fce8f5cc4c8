/** All tools, by name. */
import type { Tool } from "../tool.ts";
import { doctor, lag } from "./health.ts";
import { listQueues, peekDeadLetters } from "./queues.ts";
import { explainRun, getJournal, getRun, listRuns, listWorkflows } from "./runs.ts";

const ALL = [
  listWorkflows,
  listRuns,
  getRun,
  getJournal,
  explainRun,
  listQueues,
  peekDeadLetters,
  lag,
  doctor,
];

export const TOOLS: ReadonlyMap<string, Tool> = new Map(ALL.map((each) => [each.name, each]));
