/** Runs that no worker is going to take, as far as the database knows. */
import type { WorkflowClient } from "@oxbow/sdk";

/**
 * Why a run will wait; undefined where a worker has registered its version, or the client may not look.
 *
 * @param version Undefined: any.
 */
export async function whyUnserved(
  client: WorkflowClient,
  workflow: string,
  version: number | undefined,
): Promise<string | undefined> {
  const registered = await client.versions(workflow).catch(() => null);
  if (registered === null) return undefined;
  if (registered.length === 0) {
    return `No worker has ever served workflow "${workflow}". Its runs wait until one does; check the name.`;
  }
  if (version === undefined || registered.some((one) => one.version === version)) return undefined;
  const known = registered.map((one) => one.version).join(", ");
  return `No worker has ever served version ${version} of workflow "${workflow}", but ${known}. Its runs wait until one does.`;
}
