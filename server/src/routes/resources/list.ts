/** Resources of a type, as the application lists them. */
import { listResources as askWorkers, RESOURCE_LIST } from "@oxbow/declared/internal";
import { Type } from "typebox";
import { whileClientWaits } from "../../http/long-poll.ts";
import { route, type Route } from "../../http/route.ts";
import { about, Closed, Nullable, WorkflowName } from "../../http/schemas.ts";
import { ListBudget } from "./list-budget.ts";
import { Name } from "./references.ts";

const budget = new ListBudget();

export const listResources: Route = route({
  method: "GET",
  path: "/v1/catalog/resources/:type",
  scope: "read",
  isWork: true,
  summary: "List resources of a type",
  description:
    "Asks a worker that knows the type, whose application lists its resources, and answers within 5 seconds. Fails with RESOURCES_NOT_LISTED (424) if no worker answers or the list of the application fails: people may enter an id nevertheless. A caller may wait for 10 lists at once and begin 20 a second, else 429.",
  params: Type.Object({ type: Name }),
  querystring: Closed({
    q: Type.Optional(
      Type.String({
        maxLength: RESOURCE_LIST.longestText,
        description: "Text that the title or the id contains. Default: all.",
      }),
    ),
    after: Type.Optional(
      Type.String({
        maxLength: RESOURCE_LIST.longestText,
        description: "next of the page before.",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: RESOURCE_LIST.largestLimit,
        default: RESOURCE_LIST.defaultLimit,
      }),
    ),
    definition: Type.Optional(
      about(WorkflowName, "A definition, whose scope the application receives."),
    ),
  }),
  response: {
    200: Type.Object({
      resources: Type.Array(
        Type.Object({
          id: Type.String(),
          title: Type.String({ description: "The text that people see." }),
        }),
      ),
      next: Nullable(Type.String({ description: "Pass it as after for the next page." })),
    }),
  },
  handler: async ({ params: { type }, query, identity }, { declared }, reply) => {
    const { q = "", after, limit = RESOURCE_LIST.defaultLimit, definition } = query;
    const end = budget.take(`${identity?.token ?? ""}\n${identity?.actor ?? ""}`);
    try {
      return await askWorkers(
        declared,
        { type, text: q, after, limit, definition },
        { signal: whileClientWaits(reply) },
      );
    } finally {
      end();
    }
  },
});
