/** Queues from TypeScript: send, consume, try again, dead letters, and the order of a FIFO queue. */
import { createWorkflowClient, RetryAfterError } from "@oxbow/sdk";
import { startDatabase } from "./database.ts";

interface Mail {
  readonly to: string;
}

await using database = await startDatabase();
await using client = createWorkflowClient({ url: database.url });
const { queues } = client;

await queues.create("failed-mail");
await queues.create("mail", { maxReceives: 2, deadLetterQueue: "failed-mail" });
await queues.sendBatch("mail", [{ to: "ada" }, { to: "bob" }]);

// One message at a time here, so that the output has an order.
const mailer = queues.consume<Mail>(
  "mail",
  ({ body, receiveCount }) => {
    console.log(`mail to ${body.to}, delivery ${receiveCount}`);
    if (body.to === "bob") throw new RetryAfterError(50, "no such mailbox");
  },
  { concurrency: 1, logger: { debug() {}, info() {}, warn() {}, error: console.log } },
);

// Waits until bob's mail has been tried twice, and has moved.
const [letter] = await queues.receive<Mail>("failed-mail", { wait: "30s" });
console.log("dead letter:", letter?.body);
await mailer.stop();

await queues.create("ledger", { fifo: true });
for (const entry of ["open", "deposit", "close"])
  await queues.sendFifo("ledger", entry, { groupId: "account-7" });

const finished = new Promise<void>((resolve) => {
  queues.consume<string>("ledger", ({ body, groupId }) => {
    console.log(`${groupId}: ${body}`);
    if (body === "close") resolve();
  });
});
await finished;

// Output:
// mail to ada, delivery 1
// mail to bob, delivery 1
// oxbow: handler of queue "mail": no such mailbox
// mail to bob, delivery 2
// dead letter: { to: 'bob' }
// account-7: open
// account-7: deposit
// account-7: close
