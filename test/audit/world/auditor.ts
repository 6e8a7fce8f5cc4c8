/** Starts the auditor process and asks it for verdicts. */
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Verdict } from "../promises/audit.ts";
import type { AuditRequest, Facts } from "../promises/facts.ts";
import type { Entry } from "../record.ts";
import { program } from "./program.ts";
import { startWorkerProcess, type WorkerProcess } from "../../helpers/worker-process.ts";

export interface FullVerdict extends Verdict {
  /** Where the request was verbose. */
  readonly entries?: readonly Entry[];
  readonly facts?: Facts;
}

export class Auditor {
  readonly port: number;
  readonly #process: WorkerProcess;
  readonly #socket: Socket;
  readonly #lines: Interface;

  private constructor(port: number, process: WorkerProcess, socket: Socket) {
    this.port = port;
    this.#process = process;
    this.#socket = socket;
    this.#lines = createInterface(socket);
    socket.write(`${JSON.stringify({ isOwner: true })}\n`);
    void process.end().then(({ code }) => {
      if (code !== 0)
        globalThis.process.stderr.write(`The auditor ended: ${process.output.join("\n")}\n`);
    });
  }

  /** @param folder Where it keeps its store. */
  static async start(folder: string): Promise<Auditor> {
    mkdirSync(folder, { recursive: true });
    const store = join(folder, "entries.jsonl");
    const process = startWorkerProcess(program("auditor"), { args: [store] });
    const line = await process.line(/^listening/);
    const port = Number(line.split(" ")[1]);
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new Auditor(port, process, socket);
  }

  /** One at a time. */
  async audit(request: AuditRequest): Promise<FullVerdict> {
    this.#socket.write(`${JSON.stringify({ audit: request })}\n`);
    const [line] = (await once(this.#lines, "line")) as [string];
    const answer = JSON.parse(line) as FullVerdict | { readonly error: string };
    if ("error" in answer) throw new Error(`The auditor failed: ${answer.error}`);
    return answer;
  }

  async stop(): Promise<void> {
    this.#socket.destroy();
    await this.#process.stop();
  }
}
