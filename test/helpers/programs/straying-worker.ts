/** A worker with promises that nothing awaits. Argument: url. It leaves one to Node once it gets SIGUSR2. */
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";

const [url = ""] = process.argv.slice(2);

const fail = async (where: string): Promise<never> => {
  await pause(1);
  throw new Error(`lost in ${where}`);
};

let cancels = 0;
const cancelBooking = (): void => {
  cancels += 1;
  if (cancels === 1) throw new Error("the hotel is busy");
};

const strays = workflow({
  name: "strays",
  run: async ({ step }, where: string) => {
    const branch = async (): Promise<void> => {
      await step.run("fails", () => fail(where), { retry: { attempts: 1 } });
    };
    if (where === "the body") void fail(where);
    if (where === "a branch") void branch();
    if (where === "a callback") {
      await step.run("call", () => {
        void fail(where);
      });
    }
    if (where === "a transaction") {
      await step.tx("pay", () => {
        void fail(where);
        return Promise.resolve();
      });
    }
    if (where === "a booking") {
      await step.run(
        "book",
        async () => {
          void fail(where);
          await once(process, "unhandledRejection");
        },
        { rollback: cancelBooking, retry: { attempts: 2, backoff: { kind: "fixed", base: 1 } } },
      );
    }
    if (where === "the past") {
      void fail(where);
      return "returned";
    }
    // So that the run stays in this process.
    return step.run("hold", async (signal) => {
      await once(signal, "abort");
    });
  },
});

const worker = strays.serve({ url, lease: "2s" });
process.on("SIGUSR2", () => void fail("the process"));
process.once("SIGTERM", () => void worker.stop());
process.stdout.write("serving\n");
