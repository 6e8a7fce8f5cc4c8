/** Where the Oxbow server pushes runs. Its key is OXBOW_SIGNING_KEY. */
import { createHandler } from "@oxbow/sdk/http";
import { onboardUser } from "@/lib/onboard-user";

/** In seconds, for the platform. */
export const maxDuration = 60;

export const { GET, POST, PUT } = createHandler({
  workflows: [onboardUser],
  maxDuration: "60s",
  url: process.env.DATABASE_URL,
});
