/**
 * Through the server, for clients without access to the database. It has the calls of the Postgres transport, each one
 * request, but they can't take part in a transaction of the caller (`tx`).
 */
import { InvalidArgument } from "../../core/errors.ts";
import type { Room } from "../../protocol/rooms.ts";
import type { Transport } from "../../protocol/transport.ts";
import { OpenedRooms } from "../opened-rooms.ts";
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

export class HttpTransport implements Transport {
  readonly #connection: HttpConnection;
  readonly #rooms: OpenedRooms;
  readonly runs: Transport["runs"];
  readonly workflows: Transport["workflows"];
  readonly worker: Transport["worker"];
  readonly queues: Transport["queues"];
  readonly topics: Transport["topics"];
  readonly schedules: Transport["schedules"];
  readonly endpoints: Transport["endpoints"];
  readonly flowControl: Transport["flowControl"];
  readonly approvals: Transport["approvals"];
  readonly approvalLinks = undefined;
  readonly audit: Transport["audit"];
  readonly admin: Transport["admin"];
  readonly database = undefined;
  readonly fork = undefined;
  readonly shards = undefined;
  readonly fleet = undefined;
  readonly auditRetention = undefined;
  readonly runMarks = undefined;
  readonly actingFor = undefined;
  readonly ticks = undefined;
  readonly expiry = undefined;
  readonly retention = undefined;
  readonly deliveries = undefined;
  readonly pushes = undefined;
  readonly queueSampling = undefined;
  readonly statistics = undefined;

  constructor({ url, token }: HttpTransportOptions) {
    this.#connection = new HttpConnection(url, token);
    this.#rooms = new OpenedRooms((room) => room.http(this.#connection));
    this.runs = runsOverHttp(this.#connection);
    this.workflows = workflowsOverHttp(this.#connection);
    this.worker = workerOverHttp(this.#connection);
    this.queues = queuesOverHttp(this.#connection);
    this.topics = topicsOverHttp(this.#connection);
    this.schedules = schedulesOverHttp(this.#connection);
    this.endpoints = endpointsOverHttp(this.#connection);
    this.flowControl = flowControlOverHttp(this.#connection);
    this.approvals = approvalsOverHttp(this.#connection);
    this.audit = auditOverHttp(this.#connection);
    this.admin = adminOverHttp(this.#connection);
  }

  room<Calls>(room: Room<Calls>): Calls {
    return this.#rooms.get(room);
  }

  async check(): Promise<void> {
    // Any token may ask this, and it needs the database.
    await this.#connection.ask("/v1/check", READ);
  }

  transaction(): Promise<void> {
    return Promise.reject(new InvalidArgument(NO_TX));
  }

  close(): Promise<void> {
    this.#connection.close();
    return Promise.resolve();
  }
}
