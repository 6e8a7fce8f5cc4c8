/** Connections of workers whose calls about definitions a test watches or replaces. */
import type { SourceConnection } from "@oxbow/sdk/runtime";

export type DefinitionCalls = SourceConnection["transport"]["definitions"];

/** Returns what makes such a connection of another one: always the same for the same one. */
export function changing(
  replace: (own: DefinitionCalls) => Partial<DefinitionCalls>,
): (connection: SourceConnection) => SourceConnection {
  const made = new WeakMap<SourceConnection, SourceConnection>();
  return (connection) => {
    const changed = made.get(connection) ?? changedBy(connection, replace);
    made.set(connection, changed);
    return changed;
  };
}

function changedBy(
  { transport }: SourceConnection,
  replace: (own: DefinitionCalls) => Partial<DefinitionCalls>,
): SourceConnection {
  const own = transport.definitions;
  const replaced = replace(own);
  const definitions = new Proxy(own, {
    get: (_, name) => {
      const value: unknown = Reflect.get(replaced, name) ?? Reflect.get(own, name);
      return typeof value === "function" ? (value.bind(own) as unknown) : value;
    },
  });
  return { transport: { ...transport, definitions } };
}
