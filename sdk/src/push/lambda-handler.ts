/** A handler for AWS Lambda, behind a function url or an HTTP API of API Gateway (payload format 2.0). */
import { functionOf, type Handler } from "./handler.ts";

/** The part of an event that is read. */
export interface LambdaEvent {
  readonly rawPath?: string | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: string | undefined;
  readonly isBase64Encoded?: boolean | undefined;
  readonly requestContext: {
    readonly domainName?: string | undefined;
    readonly http: { readonly method: string };
  };
}

export interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Converts a handler to that of a function on AWS Lambda. `maxDuration` of the handler is the timeout of the function.
 *
 * @example
 * export const handler = toLambdaHandler(createHandler({ workflows: [onboardUser], maxDuration: "5m" }));
 */
export const toLambdaHandler =
  (handler: Handler): ((event: LambdaEvent) => Promise<LambdaAnswer>) =>
  async (event) => {
    const answer = await functionOf(handler).answer(toRequest(event));
    return {
      statusCode: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: await answer.text(),
    };
  };

function toRequest({ rawPath = "/", headers = {}, body = "", ...event }: LambdaEvent): Request {
  const { requestContext, isBase64Encoded } = event;
  const { method } = requestContext.http;
  const list = Object.entries(headers).filter(
    (header): header is [string, string] => header[1] !== undefined,
  );
  const hasBody = method !== "GET" && method !== "HEAD";
  const bytes =
    isBase64Encoded === true ? Uint8Array.from(atob(body), (one) => one.codePointAt(0) ?? 0) : body;
  return new Request(`https://${requestContext.domainName ?? "lambda"}${rawPath}`, {
    method,
    headers: list,
    ...(hasBody ? { body: bytes } : {}),
  });
}
