import type { MakeBehaviour } from "./behaviour.ts";
import { InvalidParameters, Parameters } from "./parameters.ts";

/** `topic.publish@1`: publishes `message` to `topic`, in the commit of its step. */
export const topicPublish: MakeBehaviour = (id, node) => {
  const parameters = new Parameters(id, node);
  const topic = parameters.required("topic");
  const message = parameters.required("message");
  return {
    kind: "step",
    isCall: false,
    ask: ({ path, services: { step }, variables }) => {
      const name = topic(variables);
      if (typeof name !== "string") {
        throw new InvalidParameters(
          `Node "${id}" can't publish to ${JSON.stringify(name)}: give the name of a topic.`,
        );
      }
      return step
        .publish(path, name, message(variables))
        .then(() => ({ handle: "out", output: null }));
    },
  };
};
