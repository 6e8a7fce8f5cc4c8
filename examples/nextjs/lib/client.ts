import { createWorkflowClient } from "@oxbow/sdk";

export const client = createWorkflowClient({ url: process.env.DATABASE_URL });
