/** All faults, in the order of the long form. */
import { setTimeout as pause } from "node:timers/promises";
import type { Fault } from "../fault.ts";
import { CLOCK_FAULTS } from "./clocks.ts";
import { CODE_FAULTS } from "./codes.ts";
import { IDLE_FAULTS, troublesOf } from "./idle.ts";
import { LOAD_FAULTS } from "./loads.ts";
import { NETWORK_FAULTS } from "./networks.ts";
import { SERVER_FAULTS } from "./servers.ts";
import { SERVICE_FAULTS } from "./services.ts";
import { SESSION_FAULTS } from "./sessions.ts";
import { START_FAULTS } from "./starts.ts";
import { WORKER_FAULTS } from "./workers.ts";

/** The control: a violation here is a fault of the suite or of everything. */
const NO_FAULT: Fault = {
  name: "none",
  injects: "nothing: the load alone",
  promises: "no worker reports trouble",
  inject: async ({ world, blame }) => {
    await pause(3_000);
    const troubles = troublesOf(world);
    if (troubles.length > 0) blame(`${troubles.length} troubles without a fault: ${troubles[0]}`);
  },
};

export const FAULTS: readonly Fault[] = [
  NO_FAULT,
  ...IDLE_FAULTS,
  ...WORKER_FAULTS,
  ...START_FAULTS,
  ...SERVER_FAULTS,
  ...SESSION_FAULTS,
  ...CODE_FAULTS,
  ...NETWORK_FAULTS,
  ...SERVICE_FAULTS,
  ...LOAD_FAULTS,
  ...CLOCK_FAULTS,
];
