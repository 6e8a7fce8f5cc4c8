/** A worker of triggers whose resources never come; it prints each read. The arguments are the url and the pool. */
import { createDefinitions, defineResource } from "@oxbow/declared";

const [url = "", pool = ""] = process.argv.slice(2);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const gate = defineResource({
  type: "Gate",
  schema: {},
  get: (ids) => {
    say(`reading ${JSON.stringify(ids)}`);
    return new Promise<never>(() => {});
  },
});
createDefinitions({ pool, resources: [gate] }).serve({ url, logger: false });
say("serving");
