/**
 * Through the server, for clients without access to the database. It has the calls of the Postgres transport, each one
 * request, but they can't take part in a transaction of the caller (`tx`).
 */
import { InvalidArgument } from "../../core/errors.ts";
import type { Transport } from "../../protocol/transport.ts";
import { HttpConnection } from "./connection.ts";
import { NO_TX } from "./no-tx.ts";
import { HttpDefinitionTransport } from "./definitions.ts";
import { HttpQueueTransport } from "./queues.ts";
import { HttpScheduleTransport } from "./schedules.ts";
import { HttpTopicTransport } from "./topics.ts";
import { HttpAdminTransport } from "./admin.ts";
import { HttpApprovalTransport } from "./approvals.ts";
import { HttpAuditTransport } from "./audit.ts";
import { HttpCatalogTransport } from "./catalog.ts";
import { HttpFlowControlTransport } from "./flow-control.ts";
import { HttpResourceTransport } from "./resources.ts";
import { HttpRunTransport } from "./runs/transport.ts";
import { HttpTriggerTransport } from "./triggers.ts";
import { HttpWorkerTransport } from "./worker/transport.ts";
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
  readonly definitions: HttpDefinitionTransport;
  readonly resources: HttpResourceTransport;
  readonly triggers: HttpTriggerTransport;
  readonly catalog: HttpCatalogTransport;
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
  readonly triggerRetention = undefined;
  readonly triggerHooks = undefined;
  readonly actingFor = undefined;
  readonly ticks = undefined;
  readonly expiry = undefined;
  readonly retention = undefined;
  readonly deliveries = undefined;
  readonly queueSampling = undefined;
  readonly statistics = undefined;

  constructor({ url, token }: HttpTransportOptions) {
    this.#connection = new HttpConnection(url, token);
    this.runs = new HttpRunTransport(this.#connection);
    this.workflows = new HttpWorkflowTransport(this.#connection);
    this.worker = new HttpWorkerTransport(this.#connection);
    this.queues = new HttpQueueTransport(this.#connection);
    this.topics = new HttpTopicTransport(this.#connection);
    this.schedules = new HttpScheduleTransport(this.#connection);
    this.definitions = new HttpDefinitionTransport(this.#connection);
    this.resources = new HttpResourceTransport(this.#connection);
    this.triggers = new HttpTriggerTransport(this.#connection);
    this.catalog = new HttpCatalogTransport(this.#connection);
    this.flowControl = new HttpFlowControlTransport(this.#connection);
    this.approvals = new HttpApprovalTransport(this.#connection);
    this.audit = new HttpAuditTransport(this.#connection);
    this.admin = new HttpAdminTransport(this.#connection);
  }

  async check(): Promise<void> {
    // Any token may ask this, and it needs the database.
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
