/** Connections of workers whose calls about definitions a test watches or replaces. */
import { DEFINITIONS, type DefinitionTransport } from "@oxbow/declared/internal";
import type { SourceConnection } from "@oxbow/sdk/runtime";

/** Returns what makes such a connection of another one: always the same for the same one. */
export function changing(
  replace: (own: DefinitionTransport) => Partial<DefinitionTransport>,
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
  replace: (own: DefinitionTransport) => Partial<DefinitionTransport>,
): SourceConnection {
  const own = transport.room(DEFINITIONS);
  const replaced = replace(own);
  const definitions = new Proxy(own, {
    get: (_, name) => {
      const value: unknown = Reflect.get(replaced, name) ?? Reflect.get(own, name);
      return typeof value === "function" ? (value.bind(own) as unknown) : value;
    },
  });
  const room: typeof transport.room = (asked) =>
    (asked as unknown) === DEFINITIONS ? (definitions as never) : transport.room(asked);
  return { transport: { ...transport, room } };
}
