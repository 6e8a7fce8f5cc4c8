/** In place of the transports to databases in browsers and on edge runtimes, as `imports` of package.json says. */
import { InvalidArgument } from "../core/errors.ts";

export const postgresTransport = refuse;
/** In place of `@oxbow/fleet`. */
export const fleet = { InvalidArgument, openFleet: refuse, openLanes: refuse };

function refuse(): never {
  throw new InvalidArgument(
    "This runtime can't connect to a Postgres database: give the url of a server, like https://oxbow.example.com.",
  );
}
