import { availableParallelism, cpus, totalmem } from "node:os";

export function describeMachine(): string {
  const cores = availableParallelism();
  const memory = Math.round(totalmem() / 2 ** 30);
  return (
    `${cores} ${cores === 1 ? "core" : "cores"} (${cpus()[0]?.model ?? "unknown"}), ${memory} GiB, ` +
    `Node ${process.versions.node}, PostgreSQL 18 with fsync and synchronous_commit on`
  );
}
