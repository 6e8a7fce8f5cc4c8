import type { TransactionClient } from "@oxbow/sdk";
import type { Prisma } from "../prisma/generated/client.ts";

/** Prisma */
export const fromPrisma = (tx: Prisma.TransactionClient): TransactionClient => ({
  query: async (text, values) => ({ rows: await tx.$queryRawUnsafe<unknown[]>(text, ...values) }),
});
