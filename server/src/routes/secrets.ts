/** /v1/subscriptions/{id}/secret: what the receiver of a url verifies signatures with. */
import { Type } from "typebox";
import type { WebhookSecrets } from "../background/webhook-secrets.ts";
import type { App, RouteContext } from "../http/app.ts";
import { HttpProblem } from "../http/problems.ts";
import { Id, ProblemBody } from "../http/schemas.ts";

export function addSecretRoutes(
  app: App,
  { transport }: RouteContext,
  secrets: WebhookSecrets,
): void {
  app.get(
    "/v1/subscriptions/:subscription_id/secret",
    {
      config: { scope: "admin" },
      schema: {
        summary: "What the receiver of a url verifies signatures with",
        params: Type.Object({ subscription_id: Id }),
        response: {
          200: Type.Object({
            secrets: Type.Array(Type.String(), {
              description: "As whsec_…; the one in use comes first.",
            }),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ params: { subscription_id: id } }) => {
      const subscription = (await transport.topics.list(undefined)).find((one) => one.id === id);
      if (subscription?.targetType !== "http") {
        throw new HttpProblem(
          404,
          "SUBSCRIPTION_NOT_FOUND",
          `There is no subscription ${id} of a url.`,
        );
      }
      if (!secrets.areThere) {
        throw new HttpProblem(
          409,
          "NOT_SIGNED",
          "The server has no webhook secret, so deliveries are not signed: set OXBOW_WEBHOOK_SECRETS.",
        );
      }
      const own = await transport.statistics?.incarnation();
      const sandbox = own?.state === "sandbox" ? own.id : undefined;
      return { secrets: secrets.of(id, subscription.target, sandbox) };
    },
  );
}
