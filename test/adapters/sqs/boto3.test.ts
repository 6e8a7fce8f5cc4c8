/** Clients of the query protocol: boto3 of Debian 12, urls that were signed beforehand, and plain forms. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CreateQueueCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { SignatureV4 } from "@smithy/signature-v4";
import { createHash, createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { parseAccessKeys } from "../../../server/src/http/access-keys.ts";
import { runProgram } from "../../helpers/run-program.ts";
import { clientOf, sqsWorld } from "./clients.ts";

/** The interpreter that has Debian's packages. */
const PYTHON = "/usr/bin/python3";
const hasBoto3 = existsSync("/usr/lib/python3/dist-packages/boto3");
const FOLDER = fileURLToPath(new URL(".", import.meta.url));

it.skipIf(!hasBoto3)("answers boto3 (needs python3-boto3)", async () => {
  const { server } = await sqsWorld();
  const { stdout } = await runProgram(PYTHON, ["boto3_client.py", server.url], { cwd: FOLDER });
  const facts = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(Object.assign({}, ...facts)).toEqual({
    found: true,
    listed: ["Orders"],
    tags: { team: "a" },
    attributes: {
      VisibilityTimeout: "40",
      QueueArn: "arn:aws:sqs:eu-central-1:000000000000:Orders",
    },
    same: [true, true],
    values: { city: "Zürich <1>", raw: String.raw`b'\x00\x01\xfe'` },
    count: "1",
    empty: null,
    batch: [["0", "1", "2"], [["late", "InvalidParameterValue", true]]],
    deleted: 3,
    fifo: ["1", "2"],
    refused: [
      "AWS.SimpleQueueService.NonExistentQueue",
      "QueueAlreadyExists",
      "ReceiptHandleIsInvalid",
      "InvalidParameterValue",
      "AWS.SimpleQueueService.EmptyBatchRequest",
      "AWS.SimpleQueueService.UnsupportedOperation",
    ],
  });
});

/** As `@aws-crypto/sha256-js` is to the signer. */
class Sha256 {
  readonly #hash;
  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      key === undefined
        ? createHash("sha256")
        : createHmac("sha256", key as NodeJS.ArrayBufferView);
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(data as string);
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
  reset(): void {}
}

it("answers a url that was signed beforehand, until it expires", async () => {
  const secret = "clerk".repeat(8);
  const accessKeys = parseAccessKeys(`clerk:${secret}:admin`);
  const { server } = await sqsWorld({ secrets: "token:admin", accessKeys });
  const credentials = { accessKeyId: "clerk", secretAccessKey: secret };
  const client = clientOf(server.url, credentials);
  const { QueueUrl = "" } = await client.send(new CreateQueueCommand({ QueueName: "jobs" }));
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: "by url" }));

  const { hostname, port, pathname } = new URL(QueueUrl);
  const signer = new SignatureV4({ credentials, region: "x", service: "sqs", sha256: Sha256 });
  const urlFor = async (query: Record<string, string>, signingDate = new Date()) => {
    const request = {
      method: "GET",
      protocol: "http:",
      hostname,
      port: Number(port),
      path: pathname,
      query,
      headers: { host: `${hostname}:${port}` },
    };
    const signed = await signer.presign(request, { expiresIn: 60, signingDate });
    const search = new URLSearchParams(signed.query as Record<string, string>);
    return `http://${hostname}:${port}${pathname}?${search.toString().replaceAll("+", "%20")}`;
  };
  const receive = { Action: "ReceiveMessage", "AttributeName.1": "SenderId" };
  const answer = await fetch(await urlFor(receive));
  const text = await answer.text();
  expect(text).toContain("<Body>by url</Body>");
  expect(text).toContain("<Attribute><Name>SenderId</Name><Value>clerk</Value></Attribute>");
  expect(answer.headers.get("content-type")).toContain("text/xml");
  const late = await fetch(await urlFor(receive, new Date(Date.now() - 120_000)));
  expect(late.status).toBe(403);
  expect(await late.text()).toContain("<Code>SignatureDoesNotMatch</Code>");
  const changed = await fetch((await urlFor(receive)).replace("SenderId", "All"));
  expect(changed.status).toBe(403);
});

it("answers forms, and names what is wrong with them", async () => {
  const { server } = await sqsWorld();
  const post = async (path: string, form: Record<string, string>): Promise<string> => {
    const answer = await fetch(`${server.url}${path}`, {
      method: "POST",
      body: new URLSearchParams(form),
    });
    return `${answer.status} ${await answer.text()}`;
  };
  await post("/", { Action: "CreateQueue", QueueName: "forms" });
  const sent = await post("/000000000000/forms", {
    Action: "SendMessage",
    MessageBody: "a\r\n<b>",
  });
  expect(sent).toMatch(
    /^200 <\?xml version="1.0"\?><SendMessageResponse .*<MD5OfMessageBody>[0-9a-f]{32}</,
  );
  expect(await post("/000000000000/forms", { Action: "ReceiveMessage" })).toContain(
    "<Body>a&#xD;\n&lt;b&gt;</Body>",
  );
  expect(await post("/", { Action: "Fly" })).toMatch(/^400 .*<Code>InvalidAction</);
  expect(await post("/", {})).toMatch(/^400 .*<Code>InvalidAction</);
  expect(await post("/", { Action: "SendMessage", MessageBody: "a" })).toMatch(
    /^400 .*<Code>MissingParameter</,
  );
  expect(
    await post("/000000000000/forms", { Action: "ReceiveMessage", WaitTimeSeconds: "soon" }),
  ).toMatch(/^400 .*<Code>MalformedInput</);
  expect(
    await post("/000000000000/forms", {
      Action: "SendMessage",
      "__proto__.x": "1",
      "MessageAttribute.__proto__.y": "1",
      "a.b.c.d.e.f.g.h.i": "1",
    }),
  ).toMatch(/^400 .*<Code>MissingParameter</);
  expect(Object.keys(Object.prototype)).toEqual([]);
});
