/**
 * A worker of the definitions of a pool. Their node type `task@1` is held by the first worker until the process is killed.
 * The arguments are the url, the pool, and which worker it is.
 */
import { createDefinitions, defineNode } from "@oxbow/declared";

const [url = "", pool = "", turn = "first", lease = "2s"] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const task = defineNode({
  type: "task",
  params: { type: "object" },
  run: ({ params, idempotencyKey }) => {
    say(`call ${idempotencyKey}`);
    const { holds } = params as { readonly holds?: boolean };
    if (turn === "first" && holds === true) return new Promise<never>(() => {});
    return "done";
  },
});

createDefinitions({ pool, nodes: [task] }).serve({ url, lease: lease as "2s" });
say("serving");
