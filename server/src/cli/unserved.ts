/** Detects runs that no worker serves. */
import type { WorkflowClient } from "@oxbow/sdk";

/**
 * Returns why a run will wait; undefined if a worker has registered its version, or the client may not look.
 *
 * @param version Undefined for any version.
 */
export async function whyUnserved(
  client: WorkflowClient,
  workflow: string,
  version: number | undefined,
): Promise<string | undefined> {
  const registered = await client.versions(workflow).catch(() => null);
  if (registered === null) return undefined;
  if (registered.length === 0) {
    return `No worker has registered workflow "${workflow}". Its runs wait until one does; check the name.`;
  }
  if (version === undefined || registered.some((one) => one.version === version)) return undefined;
  const known = registered.map((one) => one.version).join(", ");
  return `No worker has registered version ${version} of workflow "${workflow}", only ${known}. Its runs wait until one does.`;
}
