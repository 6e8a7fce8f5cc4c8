/**
 * A worker of declared workflows, one for each built-in node that acts outside of its run. The arguments are the databases
 * of Oxbow and of the data source, and the url of the HTTP target.
 */
import { httpRequest, js, sqlQuery, workflowOf } from "@oxbow/declared";
import type { Document, Json } from "@oxbow/declared/check";
import { createWorker } from "@oxbow/sdk/runtime";
import pg from "pg";

const [url = "", sourceUrl = "", target = "", lease = "2s"] = process.argv.slice(2);

const single = (name: string, type: string, params: Json): Document => ({
  format: 1,
  name,
  nodes: {
    node: { type, params },
    end: { type: "end@1", params: { output: { $path: "nodes.node.output" } } },
  },
  edges: [{ from: "node", to: "end" }],
});

const insert = "insert into public.effect values ($1) returning name";
const documents = [
  single("http", "http.request@1", { url: target, method: "POST", body: { $path: "input" } }),
  single("js", "js@1", {
    input: { $path: "input" },
    code: "while (Date.now() < input.until); return 'done';",
    time: "10s",
  }),
  single("sql", "sql.query@1", { source: "shop", sql: insert, values: ["sql"], write: true }),
  single("own", "sql.query@1", { source: "oxbow", sql: insert, values: ["own"], write: true }),
  single("send", "queue.send@1", { queue: "held", message: "send" }),
  single("publish", "topic.publish@1", { topic: "held.now", message: "publish" }),
];

const pool = new pg.Pool({ connectionString: sourceUrl });
pool.on("error", () => {});
const nodes = [
  httpRequest({ allowedNetworks: ["127.0.0.1"], allowHttp: true }),
  js({ threads: 1 }),
  sqlQuery({ sources: { shop: { pool, writes: true } }, oxbow: { writes: true } }),
];
createWorker({
  url,
  workflows: documents.map((document) => workflowOf(document, { nodes })),
  lease,
});
process.stdout.write("serving\n");
