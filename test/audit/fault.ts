/** A fault, and the parts of a trial that it works on. */
import type { Chance } from "./workload/chance.ts";
import type { Load } from "./workload/plan.ts";
import type { World, WorldOptions } from "./world/world.ts";

/** A trial whose clients are at work. */
export interface Scene {
  readonly world: World;
  /** The clients at work, in a process that is followed by one with the same plan when it is killed. */
  readonly client: { kill(): Promise<void> };
  readonly trial: string;
  readonly chance: Chance;
  /** Notes that a promise of this fault's own was broken. */
  readonly blame: (detail: string) => void;
}

/** The auditor's knowledge of the injected fault. */
export interface Aftermath {
  /** Each callback is called once, except those of this run. */
  readonly once?: { readonly except: string };
  /** Calls acknowledged between these times may be lost. */
  readonly lost?: { readonly from: number; readonly to: number };
  /** Workers stood still until then, so that their signals could not abort before. */
  readonly stoppedUntil?: number;
}

export interface Fault {
  readonly name: string;
  /** Its effect, and for how long. */
  readonly injects: string;
  /** Promises in addition to, or in place of, the auditor's usual ones. */
  readonly promises?: string;
  /** Changes of the usual load. */
  readonly load?: Partial<Load>;
  /** Options of a separate world for each trial; default: the shared world. */
  readonly world?: Partial<WorldOptions>;
  /** Promises that the fault suspends. */
  readonly except?: readonly string[];
  /** Returns why the fault can't be injected here. */
  readonly unless?: () => string | undefined;
  /** Injects, lasts, and heals. */
  readonly inject: (scene: Scene) => Promise<Aftermath | undefined | void>;
}
