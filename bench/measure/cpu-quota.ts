/** A share of a processor for the processes of one server, by a control group: as if each had its own machine. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { processesOf } from "./cpu.ts";

/** Long enough for shares of a hundredth: a quota has at least a millisecond. */
const PERIOD_US = 100_000;
/** The hierarchy of the processor in version 1, and the only one in version 2. */
const [V1, V2] = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup"];

export class CpuQuota {
  readonly #folder: string;
  readonly #isV1: boolean;

  private constructor(folder: string, isV1: boolean) {
    this.#folder = folder;
    this.#isV1 = isV1;
  }

  /**
   * Without a limit at first.
   *
   * @throws Where control groups can't be made: not as root, and in most containers.
   */
  static create(name: string): CpuQuota {
    const isV1 = existsSync(V1);
    const quota = new CpuQuota(path.join(isV1 ? V1 : V2, name), isV1);
    try {
      // An interrupted benchmark leaves an empty one.
      if (existsSync(quota.#folder)) rmdirSync(quota.#folder);
      mkdirSync(quota.#folder);
      quota.lift();
      return quota;
    } catch (cause) {
      if (existsSync(quota.#folder)) rmdirSync(quota.#folder);
      throw new Error(
        `A control group with a share of the processor can't be made at ${quota.#folder}: run this as root, where ${path.dirname(quota.#folder)} can be written to.`,
        { cause },
      );
    }
  }

  set(cores: number): void {
    const share = String(Math.round(cores * PERIOD_US));
    if (!this.#isV1) {
      this.#write("cpu.max", `${share} ${PERIOD_US}`);
      return;
    }
    this.#write("cpu.cfs_period_us", String(PERIOD_US));
    this.#write("cpu.cfs_quota_us", share);
  }

  lift(): void {
    if (this.#isV1) this.#write("cpu.cfs_quota_us", "-1");
    else this.#write("cpu.max", "max");
  }

  /** The processes of the server that keeps its files there; new ones inherit the quota. */
  add(directory: string): void {
    for (const { pid } of processesOf(directory)) this.#write("cgroup.procs", pid);
  }

  /** Once its processes have ended. */
  async remove(): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        rmdirSync(this.#folder);
        return;
      } catch (error) {
        if (attempt === 50) throw error;
        await delay(100);
      }
    }
  }

  #write(name: string, text: string): void {
    writeFileSync(path.join(this.#folder, name), text);
  }
}
