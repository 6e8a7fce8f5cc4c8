/** A handler for AWS Lambda, behind a function url or an HTTP API of API Gateway (payload format 2.0). */
import { functionOf, type Handler } from "./handler.ts";
import { type PushedRequest, textOf } from "./push-function.ts";

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
    const { status, ...answer } = await functionOf(handler).answer(toPushed(event));
    return { statusCode: status, ...answer };
  };

function toPushed(event: LambdaEvent): PushedRequest {
  const { headers = {}, body = "", isBase64Encoded, requestContext } = event;
  const byName = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    method: requestContext.http.method,
    hostname: () => requestContext.domainName ?? "lambda",
    header: (name) => byName.get(name),
    body: () => Promise.resolve(textOf([bytesOf(body, isBase64Encoded === true)])),
  };
}

const bytesOf = (body: string, isBase64: boolean): Uint8Array =>
  isBase64
    ? Uint8Array.from(atob(body), (one) => one.codePointAt(0) ?? 0)
    : new TextEncoder().encode(body);
