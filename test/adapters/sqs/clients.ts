/** Servers that answer clients of SQS, and clients of the AWS SDK. */
import { SQSClient, type SQSServiceException } from "@aws-sdk/client-sqs";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { atFileEnd } from "../../helpers/file-end.ts";
import { startTestServer, type TestServer } from "../../helpers/server.ts";

export interface SqsWorld {
  readonly database: TestDatabase;
  readonly server: TestServer;
  readonly client: SQSClient;
}

const ANY = { accessKeyId: "any", secretAccessKey: "any" };

export function clientOf(url: string, credentials = ANY): SQSClient {
  const client = new SQSClient({
    endpoint: url,
    region: "eu-central-1",
    credentials,
    maxAttempts: 1,
  });
  atFileEnd(() => client.destroy());
  return client;
}

/** A server without tokens, over a database that only it uses. */
export async function sqsWorld(
  options: Parameters<typeof startTestServer>[1] = {},
): Promise<SqsWorld> {
  const database = await createDatabase();
  const server = await startTestServer(database, { sqs: true, ...options });
  return { database, server, client: clientOf(server.url) };
}

/** The class of the error, and the code that older clients read. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    return (error as SQSServiceException).name;
  }
  return "no error";
}
