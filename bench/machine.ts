import { availableParallelism, cpus, totalmem } from "node:os";

export const describeMachine = (): string =>
  `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
  `Node ${process.versions.node}, PostgreSQL 18 with fsync and synchronous_commit on`;
