/**
 * Node-RED as a peer of `make bench-declared`, if `NODE_RED` names a folder in which it is installed: five function nodes in
 * a row. It keeps messages in memory and writes nothing: what it is doing when its process dies is lost.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Only in that folder: it would bring 290 packages. */
const PACKAGE = "node-red";

/** The parts of its runtime that are used. */
interface NodeRed {
  readonly events: NodeJS.EventEmitter;
  readonly nodes: {
    getNode(id: string): { receive(message: object): void } | null;
  };
  init(server: unknown, settings: object): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface NodeRedBench extends AsyncDisposable {
  /** Sends as many messages through the flow, and waits until all have come out. */
  run(count: number): Promise<void>;
}

export async function startNodeRed(
  folder: string,
  nodes: readonly string[],
): Promise<NodeRedBench> {
  const require = createRequire(join(resolve(folder), "package.json"));
  const red = require(PACKAGE) as NodeRed;
  const directory = mkdtempSync(join(tmpdir(), "oxbow-bench-node-red-"));
  const last = nodes.length - 1;
  const flow = nodes.map((id, at) => ({
    id,
    z: "flow",
    type: "function",
    outputs: 1,
    func: at === last ? "global.get('ended')();" : "msg.payload = 1; return msg;",
    wires: [at === last ? [] : [nodes[at + 1]]],
  }));
  const document = [{ id: "flow", type: "tab", label: "calls" }, ...flow];
  writeFileSync(join(directory, "flows.json"), JSON.stringify(document));

  let open = 0;
  let end: (() => void) | undefined;
  red.init(createServer(), {
    userDir: directory,
    flowFile: "flows.json",
    credentialSecret: false,
    httpAdminRoot: false,
    httpNodeRoot: false,
    disableEditor: true,
    logging: { console: { level: "off" } },
    functionGlobalContext: {
      ended: () => {
        open -= 1;
        if (open === 0) end?.();
      },
    },
  });
  const started = once(red.events, "flows:started");
  await red.start();
  await started;
  const first = red.nodes.getNode(nodes[0] ?? "");
  if (first === null) throw new Error("Node-RED has not loaded the flow.");
  return {
    run: (count) =>
      new Promise((ended) => {
        [open, end] = [count, ended];
        for (let n = 0; n < count; n += 1) first.receive({ payload: n });
      }),
    [Symbol.asyncDispose]: async () => {
      await red.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
