/**
 * Through the server, for clients without access to the database. It has the calls of the Postgres transport, each one
 * request, but they can't take part in a transaction of the caller (`tx`).
 */
import { InvalidArgument } from "../../core/errors.ts";
import type { Transport } from "../../protocol/transport.ts";
import { openedOnce } from "../opened-rooms.ts";
import { HttpConnection } from "./connection.ts";
import { queuesOverHttp } from "./queues.ts";
import { NO_TX, READ } from "./requests.ts";
import { schedulesOverHttp } from "./schedules.ts";
import { topicsOverHttp } from "./topics.ts";
import { adminOverHttp } from "./admin.ts";
import { approvalsOverHttp } from "./approvals.ts";
import { auditOverHttp } from "./audit.ts";
import { endpointsOverHttp } from "./endpoints.ts";
import { flowControlOverHttp } from "./flow-control.ts";
import { runsOverHttp } from "./runs/transport.ts";
import { workerOverHttp } from "./worker/transport.ts";
import { workflowsOverHttp } from "./workflows.ts";

export interface HttpTransportOptions {
  /** `http://…` or `https://…`. */
  readonly url: string;
  readonly token: string | undefined;
}

export function httpTransport({ url, token }: HttpTransportOptions): Transport {
  const connection = new HttpConnection(url, token);
  return {
    runs: runsOverHttp(connection),
    workflows: workflowsOverHttp(connection),
    worker: workerOverHttp(connection),
    queues: queuesOverHttp(connection),
    topics: topicsOverHttp(connection),
    schedules: schedulesOverHttp(connection),
    endpoints: endpointsOverHttp(connection),
    flowControl: flowControlOverHttp(connection),
    approvals: approvalsOverHttp(connection),
    audit: auditOverHttp(connection),
    admin: adminOverHttp(connection),
    room: openedOnce((room) => room.http(connection)),
    check: async () => {
      // Any token may ask this, and it needs the database.
      await connection.ask("/v1/check", READ);
    },
    transaction: () => Promise.reject(new InvalidArgument(NO_TX)),
    close: () => {
      connection.close();
      return Promise.resolve();
    },
    database: undefined,
    fork: undefined,
    shards: undefined,
    fleet: undefined,
    approvalLinks: undefined,
    auditRetention: undefined,
    runMarks: undefined,
    actingFor: undefined,
    ticks: undefined,
    expiry: undefined,
    retention: undefined,
    deliveries: undefined,
    pushes: undefined,
    queueSampling: undefined,
    statistics: undefined,
  };
}
