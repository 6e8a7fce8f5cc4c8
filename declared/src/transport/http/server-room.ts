/** What the rooms of a server have in common. */
import type { TransactionClient } from "@oxbow/sdk";
import { refuseTx, type RequestOptions, type ServerRequests } from "@oxbow/sdk/internal/rooms";

/** Requests the member of an answer that has what is asked for. Rejects with a transaction, which can't reach the server. */
export type AskFor = <Value>(
  member: string,
  path: string,
  options?: RequestOptions,
  tx?: TransactionClient,
) => Promise<Value>;

export const READ: RequestOptions = { method: "GET" };

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

/** The query of a url, of the values that are given. */
export function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
