import type { Scenario } from "./scenario.ts";
import { queueScenarios } from "./queues.ts";
import { workflowScenarios } from "./workflows.ts";

export const scenarios: readonly Scenario[] = [...workflowScenarios, ...queueScenarios];

export function scenarioById(id: string): Scenario {
  const found = scenarios.find((scenario) => scenario.id === id);
  if (found !== undefined) return found;
  const known = scenarios.map((scenario) => scenario.id).join(", ");
  throw new Error(`There is no scenario "${id}": give one of ${known}.`);
}
