/** Who may use a server as SQS: access keys and their scopes. */
import {
  CreateQueueCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import { parseAccessKeys } from "../../../server/src/http/access-keys.ts";
import { startTestServer } from "../../helpers/server.ts";
import { clientOf, refusalOf, sqsWorld } from "./clients.ts";

const secretOf = (name: string): string => name.repeat(10).slice(0, 40);
const accessKeys = parseAccessKeys(
  `shop:${secretOf("shop")}:produce,clerk:${secretOf("clerk")}:work+read,owner:${secretOf("owner")}:admin`,
);
const { server, database } = await sqsWorld({ secrets: "token:admin", accessKeys });
const as = (name: string, secret = secretOf(name)) =>
  clientOf(server.url, { accessKeyId: name, secretAccessKey: secret });

it("opens to a key what its scopes have", async () => {
  const made = await as("owner").send(new CreateQueueCommand({ QueueName: "orders" }));
  const { QueueUrl } = made;
  const create = new CreateQueueCommand({ QueueName: "more" });
  const send = new SendMessageCommand({ QueueUrl, MessageBody: "a" });
  const receive = new ReceiveMessageCommand({
    QueueUrl,
    MessageSystemAttributeNames: ["SenderId"],
  });
  expect(await refusalOf(as("shop").send(create))).toBe("AccessDenied");
  expect(await refusalOf(as("clerk").send(send))).toBe("AccessDenied");
  expect(await refusalOf(as("shop").send(receive))).toBe("AccessDenied");
  await as("shop").send(send);
  const { Messages } = await as("clerk").send(receive);
  expect(Messages).toMatchObject([{ Body: "a", Attributes: { SenderId: "shop" } }]);
});

it("refuses unknown keys, and signatures by another secret", async () => {
  const list = new ListQueuesCommand({});
  expect(await refusalOf(as("nobody").send(list))).toBe("InvalidClientTokenId");
  expect(await refusalOf(as("owner", "wrong").send(list))).toBe("SignatureDoesNotMatch");
  const unsigned = await fetch(server.url, {
    method: "POST",
    headers: { "x-amz-target": "AmazonSQS.ListQueues" },
    body: "{}",
  });
  expect(unsigned.status).toBe(403);
  expect(unsigned.headers.get("x-amzn-query-error")).toBe("MissingAuthenticationToken;Sender");
});

it("records changes of queues in the name of the key", async () => {
  await as("owner").send(new CreateQueueCommand({ QueueName: "audited" }));
  const rows = await database.query(
    "select actor from queue.audit_list(action => 'queue.create', subject => 'audited')",
  );
  expect(rows).toEqual([{ actor: "owner" }]);
});

it("refuses every signature on a server that has tokens and no keys", async () => {
  const closed = await startTestServer(database, { sqs: true, secrets: "token:admin" });
  expect(await refusalOf(clientOf(closed.url).send(new ListQueuesCommand({})))).toBe(
    "InvalidClientTokenId",
  );
});

it("is off unless it is switched on", async () => {
  const plain = await startTestServer(database);
  const answer = await fetch(plain.url, {
    method: "POST",
    headers: { "x-amz-target": "AmazonSQS.ListQueues" },
    body: "{}",
  });
  expect(answer.status).toBe(405);
});

it("lets no link of a web page act on a server without keys", async () => {
  const { server: open, client } = await sqsWorld();
  await client.send(new CreateQueueCommand({ QueueName: "kept" }));
  const link = `${open.url}/000000000000/kept?Action=DeleteQueue`;
  expect((await fetch(link)).status).toBe(403);
  const { QueueUrls } = await client.send(new ListQueuesCommand({}));
  expect(QueueUrls).toHaveLength(1);
});
