/** `oxbow definitions configure`: what is no part of a document. */
import type { Command } from "commander";
import type { ConnectionOptions } from "../../connection.ts";
import { usageError } from "../../exit-codes.ts";
import { printJson, printText } from "../../output.ts";
import { parseObject } from "../../values.ts";
import { withAuthor, withDefinitions } from "./connection.ts";
import { defined } from "../../../defined.ts";

interface ConfigureArguments extends ConnectionOptions {
  readonly folder?: string;
  readonly scope?: string;
  readonly pool?: string;
  readonly protect?: boolean;
}

export function addConfigureCommand(definitions: Command): void {
  withAuthor(definitions.command("configure"))
    .description("change the folder, the scope, the pool or the protection of a definition")
    .argument("<definition>", "name of the definition")
    .option("--folder <folder>", 'where lists show it; "" removes it')
    .option(
      "--scope <json>",
      'members that events must have to start it: \'{"org_id":"o1"}\'; null for any',
    )
    .option("--pool <pool>", 'workers that serve it; "" for those that its document names')
    .option("--protect", "keep authors of a draft from publishing it")
    .option("--no-protect", "let authors publish their drafts")
    .action(async (name: string, options: ConfigureArguments) => {
      const { folder, scope, pool, protect } = options;
      const change = defined({
        folder: folder === "" ? null : folder,
        scope: scope === undefined ? undefined : parseScope(scope),
        pool: pool === "" ? null : pool,
        isProtected: protect,
      });
      if (Object.keys(change).length === 0) {
        throw usageError("Give --folder, --scope, --pool, --protect or --no-protect.");
      }
      const changed = await withDefinitions(options, (client) => client.configure(name, change));
      if (options.json === true) printJson({ definition: name, changed });
      else printText(changed ? `Configured ${name}.` : `${name} was configured so already.`);
    });
}

const parseScope = (text: string): Record<string, unknown> | null =>
  text === "null" ? null : parseObject(text, "--scope");
