/** Real receivers of deliveries to urls, on this machine. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { atFileEnd } from "./file-end.ts";

export interface Visit {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

type Answer = (response: ServerResponse, visit: Visit, visits: readonly Visit[]) => void;

export interface Target {
  readonly url: string;
  readonly visits: Visit[];
  /** Most requests at the same time so far. */
  readonly peak: () => number;
}

/** A receiver of deliveries; answers 204 by default. */
export async function openTarget(
  answer: Answer = (response) => void response.writeHead(204).end(),
): Promise<Target> {
  const visits: Visit[] = [];
  let present = 0;
  let peak = 0;
  const server = createServer((request, response) => {
    present += 1;
    peak = Math.max(peak, present);
    response.on("close", () => {
      present -= 1;
    });
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const visit = { path: request.url ?? "", headers: request.headers, body, at: Date.now() };
      visits.push(visit);
      answer(response, visit, visits);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  atFileEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, visits, peak: () => peak };
}
