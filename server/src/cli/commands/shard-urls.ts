/** The names and urls of shards, as commands take them. */
import { shardUrls } from "../../config.ts";
import { usageError } from "../exit-codes.ts";

interface ShardUrl {
  readonly name: string;
  readonly url: string;
}

export function toShards(given: readonly string[]): ShardUrl[] {
  const texts = given.length > 0 ? given : shardUrls();
  if (texts.length === 0) {
    throw usageError(
      "No shards: give a=postgres://... b=postgres://..., or set QUEUE_SHARDS to that.",
    );
  }
  return texts.map(toShard);
}

export function toShard(text: string): ShardUrl {
  const [, name, url] = /^([^=\s]+)=(postgres(?:ql)?:\S+)$/.exec(text) ?? [];
  if (name !== undefined && url !== undefined) return { name, url };
  throw usageError(
    `Invalid shard "${text.slice(0, 12)}": give a name and a url, like b=postgres://...`,
  );
}
