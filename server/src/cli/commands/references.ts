/** `oxbow references`: what names a resource. */
import type { Command } from "commander";
import { type ConnectionOptions, withDeclared, withConnection } from "../connection.ts";
import { printList } from "../output.ts";

export function addReferencesCommand(program: Command): void {
  withConnection(program.command("references"))
    .description("list what names a resource, and what keeps it from being deleted")
    .argument("<type>", "type of the resource, as Severity")
    .argument("<id>", "id of the resource")
    .action(async (type: string, id: string, options: ConnectionOptions) => {
      const owners = await withDeclared(options, (calls) => calls.references.to(type, id));
      printList(owners, options, {
        none: `Nothing names ${type} "${id}".`,
        row: (owner) => ({
          OWNER: `${owner.ownerType} ${owner.ownerId}`,
          VERSION: owner.version,
          STATE: owner.state,
          "KEEPS IT": owner.protects ? "yes" : "no",
          PLACE: owner.pointer,
          TITLE: owner.title,
        }),
      });
    });
}
