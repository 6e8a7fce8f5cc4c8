/** A worker whose workflow kills it, unless the table `mended` exists. Argument: url. */
import { workflow } from "@oxbow/sdk/runtime";
import pg from "pg";

const [url = ""] = process.argv.slice(2);

workflow({
  name: "deadly",
  run: async (ctx, { kills }: { kills: boolean }) => {
    await ctx.step.run("before", () => {});
    await ctx.step.run("deadly", async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query<{ mended: boolean }>(
        "select to_regclass('public.mended') is not null as mended",
      );
      await client.end();
      if (kills && rows[0]?.mended === false) process.kill(process.pid, "SIGKILL");
    });
    return "lived";
  },
}).serve({ url, lease: "2s" });
