/** `oxbow definitions hooks`: the addresses of webhook triggers. */
import type { Command } from "commander";
import { type ConnectionOptions, withConnection } from "../../connection.ts";
import { printJsonLine, printRows, remark } from "../../output.ts";
import { withDefinitions } from "./connection.ts";

interface HooksOptions extends ConnectionOptions {
  readonly secrets?: boolean;
}

export function addHooksCommand(definitions: Command): void {
  withConnection(definitions.command("hooks"))
    .description("list the webhook triggers of the published version of a definition")
    .argument("<definition>", "name of the definition")
    .option("--secrets", "show the secrets, which the sender needs; requires the URL of a server")
    .action(async (name: string, options: HooksOptions) => {
      const found = await withDefinitions(options, (client) => client.hooks(name));
      const hooks = found.map(({ secrets, ...hook }) =>
        options.secrets === true ? { ...hook, secrets } : hook,
      );
      if (options.json === true) hooks.forEach(printJsonLine);
      else if (hooks.length === 0)
        remark(`No webhook triggers in the published version of ${name}.`);
      else {
        printRows(
          found.map(({ trigger, path, verify, secrets }) => ({
            TRIGGER: trigger,
            PATH: path,
            VERIFY: verify,
            SECRETS: options.secrets === true ? secrets.join(" ") : "",
          })),
        );
        if (options.secrets === true && found.every(({ secrets }) => secrets.length === 0)) {
          remark("Only servers have the secrets: pass the URL of one, with OXBOW_WEBHOOK_SECRETS.");
        }
      }
    });
}
