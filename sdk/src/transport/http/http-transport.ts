/**
 * Through the server: for those who hold no connection to the database. The same calls as those of the Postgres
 * transport, each one request; SQL of one's own in the same transaction (`tx`) is what it can't do.
 */
import { InvalidArgument } from "../../core/errors.ts";
import type { Transport } from "../../protocol/transport.ts";
import { HttpConnection } from "./connection.ts";
import { NO_TX } from "./no-tx.ts";
import { HttpQueueTransport } from "./queues.ts";
import { HttpScheduleTransport } from "./schedules.ts";
import { HttpTopicTransport } from "./topics.ts";
import { HttpAdminTransport } from "./admin.ts";
import { HttpFlowControlTransport } from "./flow-control.ts";
import { HttpRunTransport } from "./runs.ts";
import { HttpWorkerTransport } from "./worker.ts";
import { HttpWorkflowTransport } from "./workflows.ts";

export interface HttpTransportOptions {
  /** `http://…` or `https://…`. */
  readonly url: string;
  readonly token: string | undefined;
}

export class HttpTransport implements Transport {
  readonly #connection: HttpConnection;
  readonly runs: HttpRunTransport;
  readonly workflows: HttpWorkflowTransport;
  readonly worker: HttpWorkerTransport;
  readonly queues: HttpQueueTransport;
  readonly topics: HttpTopicTransport;
  readonly schedules: HttpScheduleTransport;
  readonly flowControl: HttpFlowControlTransport;
  readonly admin: HttpAdminTransport;
  readonly fork = undefined;
  readonly ticks = undefined;
  readonly expiry = undefined;
  readonly deliveries = undefined;
  readonly statistics = undefined;

  constructor({ url, token }: HttpTransportOptions) {
    this.#connection = new HttpConnection(url, token);
    this.runs = new HttpRunTransport(this.#connection);
    this.workflows = new HttpWorkflowTransport(this.#connection);
    this.worker = new HttpWorkerTransport(this.#connection);
    this.queues = new HttpQueueTransport(this.#connection);
    this.topics = new HttpTopicTransport(this.#connection);
    this.schedules = new HttpScheduleTransport(this.#connection);
    this.flowControl = new HttpFlowControlTransport(this.#connection);
    this.admin = new HttpAdminTransport(this.#connection);
  }

  async check(): Promise<void> {
    // Whatever a token may do, and a database that is there.
    await this.#connection.ask("/v1/check", { method: "GET" });
  }

  transaction(): Promise<void> {
    return Promise.reject(new InvalidArgument(NO_TX));
  }

  close(): Promise<void> {
    this.#connection.close();
    return Promise.resolve();
  }
}
