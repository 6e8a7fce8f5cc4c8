/** The two protocols that clients of SQS speak: how a request names its action and its parameters, and how answers look. */
import type { FastifyRequest } from "fastify";
import { ACTIONS } from "./actions/table.ts";
import { SqsError } from "./errors.ts";
import type { ActionName } from "./model.ts";
import { parametersIn, shownAnswer, shownError } from "./query.ts";

interface Asked {
  readonly action: ActionName;
  readonly parameters: unknown;
}

interface Answered {
  readonly type: string;
  readonly text: string;
}

export interface Protocol {
  /** All parameters are texts. */
  readonly isForm: boolean;
  /** @throws SqsError for a request without a known action. */
  readonly read: (request: FastifyRequest, body: Buffer) => Asked;
  readonly answer: (action: ActionName, answer: object, requestId: string) => Answered;
  readonly refuse: (error: SqsError, requestId: string) => Answered;
}

const TARGET = /^AmazonSQS\.(\w+)$/;
const JSON_TYPE = "application/x-amz-json-1.0";

/** https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html */
const json: Protocol = {
  isForm: false,
  read: ({ headers }, body) => {
    const target = String(headers["x-amz-target"]);
    return { action: actionNamed(TARGET.exec(target)?.[1] ?? target), parameters: parse(body) };
  },
  answer: (_action, answer) => ({ type: JSON_TYPE, text: JSON.stringify(answer) }),
  refuse: ({ name, message }) => ({
    type: JSON_TYPE,
    text: JSON.stringify({ __type: `com.amazonaws.sqs#${name}`, message }),
  }),
};

/** Members that are null count as absent. */
function parse(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString(), (_name, value: unknown) => value ?? undefined);
  } catch {
    throw new SqsError("SerializationException", "The body is not valid JSON.");
  }
}

/** Forms, and urls that were signed beforehand. */
const query: Protocol = {
  isForm: true,
  read: (request, body) => {
    const [path = ""] = request.url.split("?");
    const form = new URLSearchParams(request.url.slice(path.length));
    for (const [name, value] of new URLSearchParams(body.toString())) form.append(name, value);
    const action = actionNamed(form.get("Action"));
    // The queue may be that of the path.
    if (!form.has("QueueUrl") && path.length > 1) form.set("QueueUrl", path);
    return { action, parameters: parametersIn(form, action) };
  },
  answer: (action, answer, requestId) => ({
    type: "text/xml",
    text: shownAnswer(action, answer, requestId),
  }),
  refuse: (error, requestId) => ({ type: "text/xml", text: shownError(error, requestId) }),
};

/** Clients of the JSON protocol name their action in a header. */
export const protocolOf = ({ headers }: FastifyRequest): Protocol =>
  headers["x-amz-target"] === undefined ? query : json;

function actionNamed(name: string | null): ActionName {
  if (name !== null && Object.hasOwn(ACTIONS, name)) return name as ActionName;
  throw new SqsError(
    "InvalidAction",
    name === null
      ? "The request names no action: clients send the header X-Amz-Target, or the parameter Action."
      : `The action ${name.slice(0, 100)} is not valid for this endpoint.`,
  );
}
