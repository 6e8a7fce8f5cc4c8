import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { TargetedSocket, UnansweredSockets } from "./unanswered-sockets.ts";

/** Accepts connections, and answers what `answers` accepts. */
async function serve(answers: (count: number) => boolean): Promise<{
  readonly port: number;
  readonly answered: () => number;
}> {
  let answered = 0;
  let asked = 0;
  const accepted = new Set<Socket>();
  const server = createServer((socket) => {
    accepted.add(socket);
    socket.on("error", () => {});
    socket.on("data", () => {
      asked += 1;
      if (!answers(asked)) return;
      answered += 1;
      socket.write("N");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of accepted) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, answered: () => answered };
}

/** A socket that says nothing, and so gets no answer. */
function connect(port: number): {
  readonly socket: TargetedSocket;
  readonly ended: Promise<Error>;
} {
  const socket = new TargetedSocket();
  new UnansweredSockets().add(socket);
  const ended = once(socket, "error").then(([error]) => error as Error);
  socket.connect(...([port, "127.0.0.1"] as never[]));
  onTestFinished(() => void socket.destroy());
  return { socket, ended };
}

it("a socket without an answer is given up once its target answers again", async () => {
  const { port } = await serve((count) => count > 2);
  const { ended } = connect(port);
  // As the driver reports lost connections, which are made again.
  expect(await ended).toMatchObject({ message: expect.stringMatching(/^Connection terminated/) });
});

it("a socket whose target is only slow is left alone", async () => {
  const { port, answered } = await serve(() => true);
  const { socket } = connect(port);
  await expect.poll(answered, { timeout: 60_000 }).toBeGreaterThan(5);
  expect(socket.destroyed).toBe(false);
});

it("a socket that was answered asks nothing", async () => {
  const { port, answered } = await serve(() => true);
  const { socket } = connect(port);
  socket.write("hello");
  await once(socket, "data");
  // Another one, without an answer, has been asked about by now.
  const { port: other, answered: ofOther } = await serve(() => true);
  connect(other);
  await expect.poll(ofOther, { timeout: 60_000 }).toBeGreaterThan(2);
  expect(answered()).toBe(1);
  expect(socket.destroyed).toBe(false);
});
