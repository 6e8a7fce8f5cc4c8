/** The functions of `oxbow dev --endpoint`, followed through one client. */
import { createWorkflowClient } from "@oxbow/sdk";
import type { EndpointManifest } from "@oxbow/sdk/internal/server";
import { endpointRequestsOf } from "../services/pushes/endpoint-settings.ts";
import { ownVersion } from "../version.ts";
import { devServerConfig } from "./dev-server.ts";
import { EndpointFollower } from "./endpoint-follower.ts";

interface FollowedEvents {
  readonly onServing: (endpoint: string, workflows: EndpointManifest["workflows"]) => void;
  readonly onFailed: (endpoint: string, reason: string) => void;
}

/**
 * @param databaseUrl To which the endpoints are added.
 * @returns What stops it.
 * @throws InvalidArgument for an invalid url.
 */
export async function startFollowing(
  databaseUrl: string,
  urls: readonly string[],
  { onServing, onFailed }: FollowedEvents,
): Promise<() => Promise<void>> {
  const { signingKeys, deliveries } = devServerConfig();
  const requests = endpointRequestsOf({
    signingKeys,
    deliveries,
    userAgent: `Oxbow/${ownVersion()}`,
    isLocal: true,
  });
  const client = createWorkflowClient({ url: databaseUrl, maxConnections: 2 });
  const followers = urls.map(
    (url) =>
      new EndpointFollower({
        url,
        client,
        requests,
        onServing: (workflows) => onServing(url, workflows),
        onFailed: (reason) => onFailed(url, reason),
      }),
  );
  const stop = async (): Promise<void> => {
    await Promise.all(followers.map((follower) => follower.stop()));
    requests.close();
    await client.close();
  };
  try {
    for (const follower of followers) await follower.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
