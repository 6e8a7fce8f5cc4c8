/** The choice of measurements, from the environment: see README.md. */
import { existsSync } from "node:fs";
import { scenarios } from "./scenarios/all.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { oxbow, peers, type SystemFacts } from "./systems/catalog.ts";

/** Parts apart from the comparison, chosen like scenarios. */
const OWN_PARTS = ["machine", "oxbow-queues"] as const;
type OwnPart = (typeof OWN_PARTS)[number];

export interface Choice {
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly scale: number;
  readonly systems: readonly SystemFacts[];
  readonly scenarios: readonly Scenario[];
  readonly parts: ReadonlySet<OwnPart>;
}

const setting = (name: string): string => process.env[name] ?? "";
const listed = (name: string): string[] =>
  setting(name)
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

export function choose(): Choice {
  const isQuick = setting("QUICK") !== "";
  const arePeersAlone = setting("ONLY_PEERS") !== "";
  const chosenPeers = isQuick && setting("PEERS") === "" ? [] : choosePeers();
  const wanted = listed("SCENARIOS");
  const known = [...OWN_PARTS, ...scenarios.map(({ id }) => id)];
  checkNames("SCENARIOS", wanted, known);
  const isWanted = (id: string): boolean => wanted.length === 0 || wanted.includes(id);
  return {
    isQuick,
    rounds: number("ROUNDS", isQuick ? 1 : 3),
    scale: number("SCALE", isQuick ? 0.25 : 1),
    systems: arePeersAlone ? chosenPeers : [oxbow, ...chosenPeers],
    scenarios: scenarios.filter(({ id }) => isWanted(id)),
    parts: new Set(arePeersAlone ? [] : OWN_PARTS.filter(isWanted)),
  };
}

function choosePeers(): readonly SystemFacts[] {
  const wanted = listed("PEERS");
  if (wanted.length === 1 && wanted[0] === "none") return [];
  checkNames("PEERS", wanted, ["none", ...peers.map(({ id }) => id)]);
  if (!existsSync(new URL("peers/node_modules/", import.meta.url))) {
    throw new Error(
      "The peers are not installed: run `npm ci --prefix bench/peers`, or PEERS=none.",
    );
  }
  return wanted.length === 0 ? peers : peers.filter(({ id }) => wanted.includes(id));
}

function checkNames(name: string, wanted: readonly string[], known: readonly string[]): void {
  const stranger = wanted.find((item) => !known.includes(item));
  if (stranger === undefined) return;
  throw new Error(`${name} has "${stranger}", which is not one of ${known.join(", ")}.`);
}

function number(name: string, otherwise: number): number {
  const text = setting(name);
  const value = text === "" ? otherwise : Number(text);
  if (value > 0) return value;
  throw new Error(`${name} is "${text}": give a number above 0.`);
}
