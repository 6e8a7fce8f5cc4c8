/** The common parts of rooms of a server. */
import { InvalidArgument } from "../../core/errors.ts";
import type { RequestOptions, ServerRequests } from "../../protocol/rooms.ts";
import type { TransactionClient } from "../../protocol/transaction.ts";

export const READ: RequestOptions = { method: "GET" };

export const NO_TX =
  "Your transaction needs a direct connection: give the client a url like postgres://…, not that of a server.";

/** @throws InvalidArgument when there is a transaction, which can't reach the server. */
export function refuseTx(tx: TransactionClient | undefined): void {
  if (tx !== undefined) throw new InvalidArgument(NO_TX);
}

/** Requests the member of an answer that has what is asked for. Rejects with a transaction, as `refuseTx`. */
export type AskFor = <Value>(
  member: string,
  path: string,
  options?: RequestOptions,
  tx?: TransactionClient,
) => Promise<Value>;

export const askingFor =
  (server: ServerRequests): AskFor =>
  async <Value>(
    member: string,
    path: string,
    options: RequestOptions = READ,
    tx?: TransactionClient,
  ) => {
    refuseTx(tx);
    const answer = await server.ask<Readonly<Record<string, Value>>>(path, options);
    return answer[member] as Value;
  };

/** Parameters of a url, without those that are undefined; each element of a list is a parameter. */
type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  const text = new URLSearchParams(given).toString();
  return text === "" ? path : `${path}?${text}`;
}

/** JSON of an object some of whose values are JSON texts already, without values that are undefined. */
export function jsonOf(
  values: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, string | undefined>> = {},
): string {
  const fields = [
    ...Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)] as const),
    ...Object.entries(texts),
  ].filter(([, text]) => text !== undefined);
  return `{${fields.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;
}
