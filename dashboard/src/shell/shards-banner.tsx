import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { readinessQuery, type ShardReadiness } from "../api/server.ts";

/** What must not be overlooked of the databases, if there are several. */
export function ShardsBanner(): ReactNode {
  const { data } = useQuery(readinessQuery);
  const shards = Object.entries(data?.shards ?? {});
  const away = shards.filter(([, { status }]) => status !== "ready");
  const held = shards.filter(([, { incarnation }]) => incarnation === "held");
  if (away.length === 0 && held.length === 0) return null;
  return (
    <div className="banner bad" role="status">
      {away.map(([name, shard]) => (
        <p key={name}>{textOf(name, shard)}</p>
      ))}
      {away.length === 0 ? null : (
        <p>Until it is, its runs and the lists of all shards are unavailable.</p>
      )}
      {held.map(([name]) => (
        <p key={name}>
          Shard {name} is a copy, and held: none of its runs continues until it is released.
        </p>
      ))}
    </div>
  );
}

const textOf = (name: string, { reason }: ShardReadiness): string =>
  `Shard ${name} is not ready${reason === undefined ? "." : `: ${reason}`}`;
