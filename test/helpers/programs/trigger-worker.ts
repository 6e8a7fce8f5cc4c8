/** A worker of triggers whose load never ends; it prints each event. The arguments are the url, the pool and the topic. */
import { createDefinitions, defineTrigger } from "@oxbow/declared";

const [url = "", pool = "", topic = ""] = process.argv.slice(2);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const slow = defineTrigger({
  name: "slow.event",
  topic,
  loads: ["more"],
  load: ({ event }) => {
    say(`loading ${JSON.stringify(event)}`);
    return new Promise<never>(() => {});
  },
});
createDefinitions({ pool, triggers: [slow] }).serve({ url, logger: false });
say("serving");
