/**
 * The cost of a server in between: the scenario `throughput` over direct connections and over HTTP, by turns.
 * `make bench-http ROUNDS=3`
 */
import { startServer } from "./environment.ts";
import { endAll, runSystem } from "./run-system.ts";
import { median } from "./measure/stats.ts";

const ROUNDS = Number(process.env["ROUNDS"] ?? 3);
const SCALE = Number(process.env["SCALE"] ?? 1);
const SYSTEMS = ["oxbow", "oxbow-http"] as const;

process.once("SIGINT", () => {
  endAll();
  process.exit(130);
});

const figures = new Map<string, number[]>(SYSTEMS.map((system) => [system, []]));
for (let round = 1; round <= ROUNDS; round += 1) {
  for (const system of SYSTEMS) {
    const cluster = await startServer();
    try {
      const url = await cluster.createDatabase("bench");
      const outcome = await runSystem({ system, scenario: "throughput", url, scale: SCALE });
      if (outcome.kind === "failed") throw new Error(`${system}: ${outcome.reason}`);
      const figure = outcome.figures[0] ?? Number.NaN;
      figures.get(system)?.push(figure);
      console.log(`${system}, round ${round}: ${figure.toFixed(0)} steps/s`);
    } finally {
      await cluster.stop({ mode: "immediate" });
    }
  }
}

const [direct = Number.NaN, http = Number.NaN] = SYSTEMS.map((system) =>
  median(figures.get(system) ?? []),
);
console.log(`direct ${direct.toFixed(0)}, over HTTP ${http.toFixed(0)} steps/s:`);
console.log(`${((100 * http) / direct).toFixed(0)}% of the throughput of direct connections`);
