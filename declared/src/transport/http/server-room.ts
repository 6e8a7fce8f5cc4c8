/** What the rooms of a server have in common. */
import type { TransactionClient } from "@oxbow/sdk";
import { refuseTx, type RequestOptions, type ServerRequests } from "@oxbow/sdk/internal/rooms";

const READ: RequestOptions = { method: "GET" };

export class ServerRoom {
  protected readonly connection: ServerRequests;

  constructor(connection: ServerRequests) {
    this.connection = connection;
  }

  /** Returns the member of the answer that has what was asked for. @throws InvalidArgument with a transaction */
  protected async ask<Value>(
    member: string,
    path: string,
    options: RequestOptions = READ,
    tx?: TransactionClient,
  ): Promise<Value> {
    refuseTx(tx);
    const answer = await this.connection.ask<Readonly<Record<string, Value>>>(path, options);
    return answer[member] as Value;
  }
}

/** The query of a url, of the values that are given. */
export function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
