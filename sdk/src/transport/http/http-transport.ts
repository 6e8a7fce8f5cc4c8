/**
 * Through the server, for clients without access to the database. It has the calls of the Postgres transport, each one
 * request, but they can't take part in a transaction of the caller (`tx`).
 */
import { InvalidArgument } from "../../core/errors.ts";
import type { Room } from "../../protocol/rooms.ts";
import type { Transport } from "../../protocol/transport.ts";
import { OpenedRooms } from "../opened-rooms.ts";
import { HttpConnection } from "./connection.ts";
import { NO_TX } from "./no-tx.ts";
import { HttpQueueTransport } from "./queues.ts";
import { HttpScheduleTransport } from "./schedules.ts";
import { HttpTopicTransport } from "./topics.ts";
import { HttpAdminTransport } from "./admin.ts";
import { HttpApprovalTransport } from "./approvals.ts";
import { HttpAuditTransport } from "./audit.ts";
import { HttpEndpointTransport } from "./endpoints.ts";
import { HttpFlowControlTransport } from "./flow-control.ts";
import { HttpRunTransport } from "./runs/transport.ts";
import { HttpWorkerTransport } from "./worker/transport.ts";
import { HttpWorkflowTransport } from "./workflows.ts";

export interface HttpTransportOptions {
  /** `http://…` or `https://…`. */
  readonly url: string;
  readonly token: string | undefined;
}

export class HttpTransport implements Transport {
  readonly #connection: HttpConnection;
  readonly #rooms: OpenedRooms;
  readonly runs: HttpRunTransport;
  readonly workflows: HttpWorkflowTransport;
  readonly worker: HttpWorkerTransport;
  readonly queues: HttpQueueTransport;
  readonly topics: HttpTopicTransport;
  readonly schedules: HttpScheduleTransport;
  readonly endpoints: HttpEndpointTransport;
  readonly flowControl: HttpFlowControlTransport;
  readonly approvals: HttpApprovalTransport;
  readonly approvalLinks = undefined;
  readonly audit: HttpAuditTransport;
  readonly admin: HttpAdminTransport;
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
    this.runs = new HttpRunTransport(this.#connection);
    this.workflows = new HttpWorkflowTransport(this.#connection);
    this.worker = new HttpWorkerTransport(this.#connection);
    this.queues = new HttpQueueTransport(this.#connection);
    this.topics = new HttpTopicTransport(this.#connection);
    this.schedules = new HttpScheduleTransport(this.#connection);
    this.endpoints = new HttpEndpointTransport(this.#connection);
    this.flowControl = new HttpFlowControlTransport(this.#connection);
    this.approvals = new HttpApprovalTransport(this.#connection);
    this.audit = new HttpAuditTransport(this.#connection);
    this.admin = new HttpAdminTransport(this.#connection);
  }

  room<Calls>(room: Room<Calls>): Calls {
    return this.#rooms.get(room);
  }

  async check(): Promise<void> {
    // Any token may ask this, and it needs the database.
    await this.#connection.get("/v1/check");
  }

  transaction(): Promise<void> {
    return Promise.reject(new InvalidArgument(NO_TX));
  }

  close(): Promise<void> {
    this.#connection.close();
    return Promise.resolve();
  }
}
