/** The author of a change, for the record. */
import type { FastifyRequest } from "fastify";

/** Undefined if the server doesn't know: the database then records its role. */
export const actorOf = ({ identity }: Pick<FastifyRequest, "identity">): string | undefined =>
  identity?.actor ?? undefined;
