/** What a fault is, and what it may do in a trial. */
import type { Chance } from "./workload/chance.ts";
import type { Load } from "./workload/plan.ts";
import type { World, WorldOptions } from "./world/world.ts";

/** Of a trial whose clients are under way. */
export interface Scene {
  readonly world: World;
  /** The clients at work, in a process that is followed by one with the same plan when it is killed. */
  readonly client: { kill(): Promise<void> };
  readonly trial: string;
  readonly chance: Chance;
  /** Notes that a promise of this fault's own was broken. */
  readonly blame: (detail: string) => void;
}

/** What the auditor has to know of how it went. */
export interface Aftermath {
  /** Each callback is called once, except those of this run. */
  readonly once?: { readonly except: string };
  /** What was acknowledged between these times may be lost. */
  readonly lost?: { readonly from: number; readonly to: number };
}

export interface Fault {
  readonly name: string;
  /** What it does, for how long. */
  readonly injects: string;
  /** What is promised besides, or instead of, all that the auditor looks at. */
  readonly promises?: string;
  /** Changes of the usual load. */
  readonly load?: Partial<Load>;
  /** A world of its own, which ends with the trial; default the one that is shared. */
  readonly world?: Partial<WorldOptions>;
  /** Promises that it suspends. */
  readonly except?: readonly string[];
  /** A reason why it can't be injected here. */
  readonly unless?: () => string | undefined;
  /** Injects, lasts, and heals. */
  readonly inject: (scene: Scene) => Promise<Aftermath | undefined | void>;
}
