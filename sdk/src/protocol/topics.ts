/** Topics: one method a SQL function. */
import type { JsonText } from "../core/json.ts";
import type { TransactionClient } from "./transaction.ts";

export type SubscriptionTarget = "queue" | "workflow" | "http";

export interface SubscribeRequest {
  readonly pattern: string;
  readonly targetType: SubscriptionTarget;
  readonly target: string;
  readonly filter: JsonText | undefined;
  readonly options: JsonText | undefined;
}

/** A subscription as it was made. */
export interface Subscription {
  readonly id: string;
  readonly pattern: string;
  readonly targetType: SubscriptionTarget;
  /** Name of the queue or workflow, or the url. */
  readonly target: string;
  readonly filter: unknown;
  readonly options: unknown;
  readonly createdAt: Date;
  /** When the first of the current failures in a row of a url was; null if the last delivery succeeded. */
  readonly failingSince: Date | null;
  /** Since when nothing is delivered, because the url had failed for long; null if not disabled. */
  readonly disabledAt: Date | null;
  /** How the last delivery before that failed. */
  readonly disabledReason: string | null;
}

interface PublishRequest {
  readonly topic: string;
  readonly message: JsonText;
  readonly headers: JsonText | undefined;
}

/** A delivery to a url, or a request of a definition, that a sandbox did not send. */
export interface CapturedDelivery {
  readonly id: string;
  readonly capturedAt: Date;
  /** Null for a request. */
  readonly subscriptionId: string | null;
  readonly url: string | null;
  /** Null for a request. */
  readonly topic: string | null;
  /** The body of a request. */
  readonly message: unknown;
  /** The method, the url and the headers of a request. */
  readonly headers: unknown;
  /** The run that made the request; null for a delivery. */
  readonly runId: string | null;
}

/** A message that a subscription could not take: of any target, or a delivery to a url that failed for good. */
export interface TopicDeadLetter {
  readonly id: string;
  readonly deadLetteredAt: Date;
  readonly subscriptionId: string | null;
  readonly targetType: SubscriptionTarget | null;
  readonly target: string | null;
  readonly topic: string | null;
  readonly reason: string | null;
  /** Requests to a url; null for other targets. */
  readonly attempts: number | null;
  readonly message: unknown;
  readonly headers: unknown;
}

export type DeliveryStatus = "waiting" | "delivered" | "failed";

/** The outcome of an attempt to deliver a message to a url. */
export interface DeliveryOutcome {
  /** Counts from 1. */
  readonly attempt: number;
  /** When the outcome was written. */
  readonly attemptedAt: Date;
  /** Null if no request was made. */
  readonly durationMs: number | null;
  /** HTTP status; null without a response. */
  readonly statusCode: number | null;
  /** Null if it succeeded. */
  readonly failure: string | null;
  /** The beginning of the body of the response. */
  readonly response: string | null;
}

/** A delivery to a url, with the outcome of its last attempt. */
export interface LoggedDelivery {
  readonly id: string;
  readonly subscriptionId: string;
  /** Pattern of the subscription; null if that has ended. */
  readonly pattern: string | null;
  /** With a password masked; null if the subscription has ended. */
  readonly url: string | null;
  readonly topic: string;
  /** Receivers recognize a repeated delivery by this header. */
  readonly webhookId: string;
  /** `waiting`: for another attempt. `failed`: for good. */
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly publishedAt: Date;
  readonly attemptedAt: Date;
  /** Null if it doesn't wait, or during an attempt. */
  readonly nextAttemptAt: Date | null;
  readonly durationMs: number | null;
  readonly statusCode: number | null;
  readonly failure: string | null;
}

export interface LoggedDeliveryDetails extends LoggedDelivery {
  /** The beginning of the body of the last response. */
  readonly response: string | null;
  /** Null also if it has more than 64 KiB and the delivery doesn't wait any more: the log keeps no larger ones. */
  readonly message: unknown;
  readonly headers: unknown;
  /** Before the last, oldest first; at most 20. */
  readonly earlierAttempts: readonly DeliveryOutcome[];
}

interface DeliveriesRequest {
  /** The id of the last delivery of the previous page. */
  readonly before: string | undefined;
  readonly max: number;
  /** Id of a subscription; undefined for all. */
  readonly subscriptionId: string | undefined;
  /** Undefined: any. */
  readonly status: DeliveryStatus | undefined;
}

export interface ResentDelivery {
  readonly id: string;
  /** Why it is not sent again; null if it is. */
  readonly problem: string | null;
}

interface DeadLettersRequest {
  /** The id of the last letter of the previous page. */
  readonly after: string | undefined;
  readonly max: number;
  /** Id of a subscription; undefined for all. */
  readonly subscriptionId: string | undefined;
}

/** A subscription that a message would go to. */
export interface TopicTarget {
  readonly subscriptionId: string;
  readonly pattern: string;
  /** `run`: a step of a run waits for the topic. `definition`: triggers of a pool want it. */
  readonly targetType: SubscriptionTarget | "run" | "definition";
  /** Name of the queue or workflow, the url, the id of the run, or the pool. */
  readonly target: string;
  /** The message as the target would get it: the options of the subscription may change it. */
  readonly input: unknown;
  /** The idempotency key of the run, or the message group. */
  readonly key: string | null;
  /** Why the message would become a dead letter; null if it would be delivered. */
  readonly problem: string | null;
  /** With a problem, publishing fails instead. */
  readonly isStrict: boolean;
}

interface TopicRedriveRequest {
  readonly max: number;
  /** Id of a subscription; undefined for all. */
  readonly subscriptionId: string | undefined;
  /** Ids of letters; undefined for all. */
  readonly ids: readonly string[] | undefined;
}

export interface TopicTransport {
  subscribe(request: SubscribeRequest, tx?: TransactionClient): Promise<string>;
  unsubscribe(id: string, tx?: TransactionClient): Promise<boolean>;
  /** Delivers again. */
  enable(id: string): Promise<boolean>;
  list(pattern: string | undefined): Promise<Subscription[]>;
  /** Undefined if the subscription doesn't exist. */
  get(id: string): Promise<Subscription | undefined>;
  /** A page, oldest first. `after`: the id that the page before ended with. */
  captured(after: string | undefined, max: number): Promise<CapturedDelivery[]>;
  /** A page, oldest first. */
  deadLetters(request: DeadLettersRequest): Promise<TopicDeadLetter[]>;
  /** Publishes dead letters again, each to its subscription. Returns how many. */
  redrive(request: TopicRedriveRequest): Promise<number>;
  /** Returns the ids of the deleted letters. */
  deleteDeadLetters(ids: readonly string[]): Promise<string[]>;
  /** A page of the log of deliveries, newest first. */
  deliveries(request: DeliveriesRequest): Promise<LoggedDelivery[]>;
  /** Undefined if the log doesn't have it, or no longer. */
  delivery(id: string): Promise<LoggedDeliveryDetails | undefined>;
  resend(ids: readonly string[]): Promise<ResentDelivery[]>;
  /** Lists the subscriptions that match a message; publishes nothing. */
  targets(topic: string, message: JsonText): Promise<TopicTarget[]>;
  /** How many targets were reached. */
  publish(request: PublishRequest, tx?: TransactionClient): Promise<number>;
}
