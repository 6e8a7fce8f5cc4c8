/** Tools that look at the whole installation. */
import { Closed } from "../../http/schemas.ts";
import { ToolFailure } from "../tool-failure.ts";
import { reading } from "../tool.ts";

export const lag = reading({
  name: "lag",
  title: "Lag of workers",
  description:
    "Lists the workflows with a run that is ready and that no worker has taken, with the age of the oldest in seconds. An empty list means that workers keep up.",
  input: Closed({}),
  handle: async (_input, { transport }) => {
    if (transport.statistics === undefined) throw needsDatabase("lag");
    return { workflows: await transport.statistics.lag() };
  },
});

export const doctor = reading({
  name: "doctor",
  title: "Examine the database",
  description:
    "Examines the database: version, installation, settings, invariants, bloat and backlog. Each finding is fine, a warning, or a problem to mend.",
  input: Closed({}),
  handle: async (_input, { examine }) => {
    if (examine === undefined) throw needsDatabase("doctor");
    return { findings: await examine() };
  },
});

const needsDatabase = (name: string): ToolFailure =>
  new ToolFailure(
    `${name} requires a direct connection to the database: start oxbow mcp with --url postgres://..., or use /mcp of the server.`,
  );
