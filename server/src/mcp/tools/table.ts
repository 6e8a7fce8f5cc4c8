/** All tools, by name. */
import type { Changing, Reading } from "../tool.ts";
import {
  cancelRuns,
  pauseWorkflow,
  rerunFromStep,
  resumeWorkflow,
  retryRuns,
  signalRun,
} from "./changes.ts";
import { doctor, lag } from "./health.ts";
import { listQueues, peekDeadLetters, redrive } from "./queues.ts";
import { explainRun, getJournal, getRun, listRuns, listWorkflows } from "./runs.ts";

const byName = <Each extends { readonly name: string }>(tools: readonly Each[]) =>
  new Map(tools.map((each) => [each.name, each]));

export const READING_TOOLS: ReadonlyMap<string, Reading> = byName([
  listWorkflows,
  listRuns,
  getRun,
  getJournal,
  explainRun,
  listQueues,
  peekDeadLetters,
  lag,
  doctor,
]);

/** Only for callers who may change something. */
export const CHANGING_TOOLS: ReadonlyMap<string, Changing> = byName([
  signalRun,
  cancelRuns,
  pauseWorkflow,
  resumeWorkflow,
  retryRuns,
  rerunFromStep,
  redrive,
]);
