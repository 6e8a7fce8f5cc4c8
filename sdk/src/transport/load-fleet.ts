/** Loads `@oxbow/fleet`, which programs install that give `shards`. */
import { InvalidArgument } from "../core/errors.ts";
import type { FleetPackage } from "../protocol/fleet.ts";

/** @throws InvalidArgument unless the package is installed, in the version of this one. */
export async function loadFleet(): Promise<FleetPackage> {
  const fleet = await importFleet();
  if (fleet.InvalidArgument === InvalidArgument) return fleet;
  throw new InvalidArgument(
    "The installed @oxbow/fleet works with another copy of @oxbow/sdk: install both in the same version. `npm ls @oxbow/sdk` shows whether there are two copies; a bundler has to include both packages, or neither.",
  );
}

async function importFleet(): Promise<FleetPackage> {
  // Bundlers accept that an import within `try` is not installed.
  try {
    const { fleet } = await import("#fleet");
    return fleet;
  } catch (cause) {
    throw new InvalidArgument(
      "`shards` need the package @oxbow/fleet, which could not be loaded: run `npm install @oxbow/fleet`, in the version of @oxbow/sdk.",
      { cause },
    );
  }
}
