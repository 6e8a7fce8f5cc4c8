/** Celery of Debian 12, whose broker is a server as SQS. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { atLeast, eventually } from "../../helpers/eventually.ts";
import { atFileEnd } from "../../helpers/file-end.ts";
import { runProgram } from "../../helpers/run-program.ts";
import { sqsWorld } from "./clients.ts";

const PYTHON = "/usr/bin/python3";
const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const PACKAGES = "/usr/lib/python3/dist-packages";
const installed = existsSync(PACKAGES) ? readdirSync(PACKAGES) : [];
const hasCelery = ["boto3", "celery", "pycurl"].every((name) =>
  installed.some((file) => file === name || file.startsWith(`${name}.`)),
);

it.skipIf(!hasCelery)(
  "carries tasks to its workers (needs python3-boto3, python3-celery, python3-pycurl)",
  async () => {
    const { server, database } = await sqsWorld();
    const env = {
      SQS_BROKER: server.url.replace("http://", "sqs://any:any@"),
      PYTHONDONTWRITEBYTECODE: "1",
    };
    const worker = spawn(PYTHON, ["-m", "celery", "-A", "celery_tasks", "worker", "--pool=solo"], {
      cwd: FOLDER,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    atFileEnd(async () => {
      worker.kill("SIGKILL");
      if (worker.exitCode === null && worker.signalCode === null) await once(worker, "exit");
    });
    const sums: number[] = [];
    createInterface({ input: worker.stdout }).on("line", (line) => {
      const sum = /^sum (\d+)$/.exec(line)?.[1];
      if (sum !== undefined) sums.push(Number(sum));
    });
    const send = [
      "import celery_tasks as tasks",
      "for n in range(20): tasks.add.delay(n, 1)",
      "tasks.add.apply_async((100, 1), countdown=1)",
    ].join("\n");
    await runProgram(PYTHON, ["-c", send], { cwd: FOLDER, env });
    await eventually(() => sums.length, atLeast(21));
    expect(sums.toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 20 }, (_, n) => n + 1),
      101,
    ]);
    await eventually(async () => {
      const [row] = await database.query(
        "select visible + in_flight + delayed as left from queue.queue_stats('celery')",
      );
      return Number(row?.["left"]);
    }, 0);
  },
);
