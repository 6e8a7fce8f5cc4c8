/** Administration, through the server. */
import type { AdminTransport } from "../../protocol/admin.ts";
import type { ServerRequests } from "../../protocol/rooms.ts";
import { askingFor } from "./requests.ts";

export const adminOverHttp = (server: ServerRequests): AdminTransport => ({
  checkInvariants: () => askingFor(server)("violations", "/v1/invariants"),
});
