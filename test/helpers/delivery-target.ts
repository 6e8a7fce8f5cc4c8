/** Real receivers of deliveries to urls, on this machine. */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { serveHttp } from "./http-server.ts";

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
  const url = await serveHttp((request, response) => {
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
  return { url: `${url}/hook`, visits, peak: () => peak };
}
