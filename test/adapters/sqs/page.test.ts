/** The page about clients of SQS: its start works, and it names what is ignored and refused. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { GetQueueUrlCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import { ACTIONS } from "../../../server/src/sqs/actions/table.ts";
import { PARAMETERS } from "../../../server/src/sqs/model.ts";
import { sqsWorld } from "./clients.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const page = readFileSync(join(ROOT, "docs/adapters/sqs.md"), "utf8");
const sectionOf = (title: string): string =>
  page.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? "";

it("begins with a program that works", async () => {
  const { client, server } = await sqsWorld();
  const code = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  expect(code.split("\n").length).toBeLessThan(12);
  const folder = join(ROOT, ".tmp/sqs-page");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "start.mjs");
  writeFileSync(file, code.replace("http://localhost:8080", server.url));
  await import(pathToFileURL(file).href);
  rmSync(folder, { recursive: true });
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: "orders" }));
  const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl }));
  expect(Messages?.map(({ Body }) => Body)).toEqual(["hello"]);
});

it("names every action", () => {
  const named = sectionOf("Actions") + sectionOf("Refused requests");
  expect(Object.keys(ACTIONS).filter((name) => !named.includes(name))).toEqual([]);
});

it("names every parameter that is accepted and ignored", () => {
  const folder = join(ROOT, "server/src/sqs");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && name !== "model.ts")
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
  const names = Object.values(PARAMETERS).flatMap(({ properties }) => Object.keys(properties));
  const ignored = [...new Set(names)].filter((name) => !new RegExp(`\\b${name}\\b`).test(sources));
  const listed = [...sectionOf("Ignored parameters").matchAll(/`(\w+)`/g)];
  expect(ignored.toSorted()).toEqual(listed.map(([, name]) => name ?? "").toSorted());
});
