/** Queues, topics, deliveries, dead letters and schedules. */
import { describe, expect, it } from "vitest";
import { eventually, moreThan } from "../helpers/eventually.ts";
import { subscribe } from "../helpers/topics.ts";
import type { Tab } from "../helpers/tab.ts";
import type { HTTPRequest } from "puppeteer-core";
import { openTab, world } from "./world.ts";

/** Holds back the requests to a path until they are continued. */
async function held({ page }: Tab, path: string): Promise<readonly HTTPRequest[]> {
  const requests: HTTPRequest[] = [];
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith(path)) requests.push(request);
    else void request.continue();
  });
  return requests;
}

export function describeLists(): void {
  describe("queues", () => {
    it("show their messages without receiving them, by what they contain", async () => {
      const { database } = world().bench;
      await database.query(
        `select queue.create_queue('mail'), queue.send('mail', '{"to": "ada"}'), queue.send('mail', '{"to": "bob"}')`,
      );
      const tab = await openTab("#/queues");
      await tab.shows(/mail\s+standard\s+2/);
      await tab.press("mail");
      await tab.shows(/Queue mail[^]*ready[^]*ada[^]*bob/);
      await tab.fill("Messages contain", "to=bob");
      await tab.page.keyboard.press("Enter");
      await eventually(() => tab.count("tbody tr"), 1);
      await tab.select('[aria-label="Charts go back"]', "6");
      await tab.shows(/bob/, "tbody");
      await tab.fill("Messages contain", "to=ada");
      await tab.page.keyboard.press("Enter");
      await tab.shows(/ada/, "tbody");
      expect(tab.page.url()).toContain("hours=");
      await tab.fill("Messages contain", "to=bob");
      await tab.page.keyboard.press("Enter");
      await tab.shows(/bob/, "tbody");
      await tab.page.locator("tbody button").click();
      await tab.shows(/A consumer may receive it[^]*"bob"/, ".dialog");
      await tab.goTo("");
      await tab.shows(/\nQueues\s[^]*\nmail\s+2\s+0\s/);
    });

    it("show more messages page by page, each with an address", async () => {
      const { database } = world().bench;
      await database.query(
        `select queue.create_queue('long'), queue.send_batch('long', array_fill('{"n": 1}'::jsonb, array[60]))`,
      );
      const tab = await openTab("#/queues/long?matching=n%3D1");
      await tab.press("Newer messages");
      await eventually(() => tab.count("tbody tr"), 10);
      expect(tab.page.url()).toMatch(/#\/queues\/long\?matching=n%3D1&after=\d+$/);
      await tab.press("Oldest messages");
      await eventually(() => tab.count("tbody tr"), 50);
      expect(tab.page.url()).toMatch(/#\/queues\/long\?matching=n%3D1$/);
    });

    it("show by what name clients of SQS know them", async () => {
      const { database } = world().bench;
      await database.query("select queue.sqs_create_queue('Invoices')");
      const tab = await openTab("#/queues");
      await tab.shows(/invoices-[0-9a-f]{8} \(in SQS Invoices\)\s+standard/);
      await tab.page.locator("td ::-p-text(invoices-)").click();
      await tab.shows(/Queue invoices-[0-9a-f]{8}[^]*Name in SQS\s+Invoices/);
    });

    it("show a blocked group, and take a message from a form", async () => {
      const { database } = world().bench;
      await database.query(
        "select queue.create_queue('orders', true), queue.send_fifo('orders', '{}', 'acme')",
      );
      await database.query("select queue.receive_fifo('orders')");
      const tab = await openTab("#/queues/orders");
      await tab.shows(/in-flight/);
      await tab.press("Send a message");
      await tab.fill("Message", '{"n": 2}');
      await tab.fill("Group", "acme");
      const requests = await held(tab, "/messages");
      await tab.press("Send");
      await eventually(() => requests.length, 1);
      // The answer may be a refusal, which nobody would see.
      await tab.page.keyboard.press("Escape");
      await eventually(() => tab.count(".dialog button:disabled"), 2);
      await requests[0]?.continue();
      await eventually(() => tab.count(".dialog"), 0);
      await tab.shows(/blocked\s+acme/);
    });

    it("are purged only after their name has been typed", async () => {
      const { database } = world().bench;
      await database.query("select queue.create_queue('scrap'), queue.send('scrap', '1')");
      const tab = await openTab("#/queues/scrap");
      await tab.press("Purge…");
      await tab.shows(/1 ready, 0 in flight and 0 delayed messages are deleted/, ".dialog");
      await tab.fill("Name of the queue", "mail");
      await tab.press("Delete all messages");
      await tab.shows(/Type scrap to confirm/, ".dialog .problem");
      await tab.fill("Name of the queue", "scrap");
      await tab.press("Delete all messages");
      await tab.shows(/1 messages were deleted/, ".notes");
      await tab.shows(/No message here/);
    });

    it("send back the dead letters that are selected", async () => {
      const { database } = world().bench;
      await database.query("select queue.create_queue('crypt')");
      await database.query(
        "select queue.create_queue('frail', max_receives => 1, dead_letter_queue => 'crypt'), queue.send('frail', '1'), queue.send('frail', '2')",
      );
      await database.query("select queue.receive('frail', 2, visibility_timeout => 0)");
      await database.query("select queue.receive('frail', 2)");
      const tab = await openTab("#/queues/crypt");
      await tab.shows(/ready[^]*ready/);
      await tab.shows(/Redrive 0 selected/);
      await tab.page.locator("tbody tr:last-child input[type=checkbox]").click();
      await tab.press("Redrive 1 selected");
      await tab.shows(/1 dead letters were sent back/, ".notes");
      const rows = await database.query("select message from queue.peek('frail')");
      expect(rows).toEqual([{ message: 2 }]);
      await eventually(() => tab.count("tbody tr"), 1);
    });

    it("show their depth of the hours before the dashboard was opened", async () => {
      const { database } = world().bench;
      await database.query("select queue.create_queue('deepened'), queue.send('deepened', '1')");
      await database.query(
        `insert into queue.queue_depth (sampled_at, visible, in_flight, delayed, oldest_at, is_estimate, queue_name)
         select clock_timestamp() - make_interval(mins => ago), visible, 0, 0, case when visible > 0 then clock_timestamp() end, false, 'deepened'
         from (values (1200, 900), (1190, 0), (50, 40), (10, 3)) as past (ago, visible)`,
      );
      const tab = await openTab("#/queues/deepened");
      await tab.page.waitForSelector("[aria-label*='now 1 ready'][aria-label$='at a time 40']");
      await tab.select("select[aria-label='Charts go back']", "24");
      await tab.page.waitForSelector("[aria-label*='now 1 ready'][aria-label$='at a time 900']");
      expect(tab.page.url()).toContain("hours=24");
    });

    it("show a gap in their depth for the time in which no server looked", async () => {
      const { database } = world().bench;
      await database.query("select queue.create_queue('unseen', true)");
      await database.query(
        `insert into queue.depth_span (began_at, last_at)
         select clock_timestamp() - make_interval(mins => began), clock_timestamp() - make_interval(mins => last)
         from (values (300, 240), (120, 60)) as past (began, last)`,
      );
      await database.query(
        `insert into queue.queue_depth (sampled_at, visible, in_flight, delayed, oldest_at, is_estimate, queue_name)
         select clock_timestamp() - interval '300 minutes', 30, 0, 0, clock_timestamp() - interval '300 minutes', false, 'unseen'`,
      );
      const tab = await openTab("#/queues/unseen");
      await tab.select("select[aria-label='Charts go back']", "6");
      await tab.page.waitForSelector("[aria-label^='Messages'][aria-label$='at a time 30']");
      await eventually(() => tab.page.evaluate(STRETCHES), 2);
      await database.query(
        "delete from queue.depth_span where last_at < clock_timestamp() - interval '3 minutes'",
      );
    });

    it("show their depth over time while the dashboard is open", async () => {
      const { database } = world().bench;
      await database.query("select queue.create_queue('deep'), queue.send('deep', '1')");
      const tab = await openTab("#/queues/deep");
      await tab.page.waitForSelector("[aria-label*='now 1 ready']");
      await database.query("select queue.send('deep', '2')");
      await tab.page.waitForSelector("[aria-label*='now 2 ready, 0 in flight']");
      await tab.page.waitForSelector("[aria-label^='Age of the oldest message']");
    });

    it("send dead letters back", async () => {
      const { database } = world().bench;
      await database.query("select queue.create_queue('graves')");
      await database.query(
        "select queue.create_queue('mortal', max_receives => 1, dead_letter_queue => 'graves'), queue.send('mortal', '1')",
      );
      await database.query("select queue.receive('mortal', visibility_timeout => 0)");
      await database.query("select queue.receive('mortal')");
      const tab = await openTab("#/queues/graves");
      await tab.shows(/ready/);
      await tab.press("Redrive…");
      await tab.press("Redrive");
      await tab.shows(/1 dead letters were sent back/, ".notes");
    });
  });

  describe("the audit", () => {
    it("shows who changed what, by actor, action and object, with links to the objects", async () => {
      const { client, database } = world().bench;
      const { runId } = await client.start("order", { order: 1 });
      await client.runs.cancel(runId, "by hand");
      await database.query("select queue.create_queue('audited')");
      const tab = await openTab("#/audit");
      await tab.shows(/queue\.create[^]*queue audited/);
      await tab.fill("Object", runId);
      await tab.page.keyboard.press("Enter");
      const row = new RegExp(`run\\.cancel\\s+run ${runId}\\s+{"reason":"by hand"}`);
      await tab.shows(row);
      // The list that isn't filtered yet has the entry, too.
      await eventually(() => tab.count("tbody tr"), 1);
      await tab.shows(row);
      await tab.press(`run ${runId}`);
      await tab.shows(new RegExp(`^order ${runId}`));
      await tab.goTo("#/audit?action=no.such");
      await tab.shows(/No entry matches/);
    });
  });

  describe("schedules", () => {
    it("are triggered once by a double click", async () => {
      const { client } = world().bench;
      await client.schedules.create({ name: "once", workflow: "order", cron: "0 3 * * *" });
      const tab = await openTab("#/schedules");
      await tab.page.setRequestInterception(true);
      let triggers = 0;
      tab.page.on("request", (request) => {
        if (request.url().endsWith("/trigger")) triggers += 1;
        void request.continue();
      });
      await tab.page.locator('button[aria-label="Run now: once"]').click({ count: 2 });
      await tab.shows(/^order \d+/);
      expect(triggers).toBe(1);
    });

    it("are created, paused, resumed, triggered and deleted", async () => {
      const tab = await openTab("#/schedules");
      await tab.press("Create a schedule");
      await tab.fill("Name", "nightly");
      await tab.fill("Workflow", "order");
      await tab.fill("When", "every night");
      await tab.shows(/cron/i, ".dialog .hint[role=status]");
      await tab.press("Create");
      await tab.shows(/cron/i, ".dialog .problem");
      await tab.fill("When", "0 3 * * *");
      await tab.fill("Time zone of the expression", "Europe/Oslo");
      await tab.shows(/Next in Europe\/Oslo: .*03:00:00.*03:00:00/, ".dialog");
      await tab.press("Create");
      await tab.shows(/nightly[^]*0 3 \* \* \*\s+Europe\/Oslo/);
      const pressFor = (action: string): Promise<void> =>
        tab.page.locator(`button[aria-label="${action}"]`).click();
      await pressFor("Pause nightly");
      await tab.fill("Reason", "holidays");
      await tab.press("Pause the schedule");
      await tab.shows(/paused\s+holidays/);
      await pressFor("Resume nightly");
      await tab.shows(/nightly[^]*in \d/);
      await pressFor("Edit nightly");
      await tab.fill("When", "30 4 * * *");
      await tab.press("Save");
      await tab.shows(/30 4 \* \* \*\s+Europe\/Oslo/);
      await pressFor("Delete nightly");
      await tab.press("Delete the schedule");
      await eventually(
        () => tab.text(),
        (text) => !text.includes("nightly"),
      );
    });

    it("show their next ticks in their own time zone and in that of the browser", async () => {
      const { client } = world().bench;
      await client.schedules.create({
        name: "far away",
        workflow: "order",
        cron: "30 9 * * *",
        timeZone: "Asia/Kolkata",
      });
      const tab = await openTab("#/schedules");
      await tab.page.locator('button[aria-label="more ticks of far away"]').click();
      await tab.shows(/Asia\/Kolkata[^]*09:30:00[^]*09:30:00[^]*09:30:00/, ".dialog");
      expect(await tab.count(".dialog tbody tr")).toBe(10);
    });

    it("start a run at once", async () => {
      const { client } = world().bench;
      await client.schedules.create({ name: "weekly", workflow: "order", cron: "0 3 * * 1" });
      const tab = await openTab("#/schedules");
      await tab.page.locator('button[aria-label="Run now: weekly"]').click();
      await tab.shows(/^order \d+/);
    });
  });

  describe("topics", () => {
    it("show failing subscriptions, and enable them again", async () => {
      const { database } = world().bench;
      const id = await subscribe(database, "paid.#", { http: "https://example.org/hook" });
      await database.query("select queue.delivery_failed($1, 'status 500', '0')", [id]);
      const tab = await openTab("#/topics");
      await tab.shows(/paid\.#[^]*disabled[^]*status 500/);
      await tab.press("Enable");
      await eventually(
        () => tab.text(),
        (text) => !text.includes("disabled"),
      );
    });

    it("are subscribed, published to and left", async () => {
      const { database } = world().bench;
      await database.query("select queue.create_queue('news')");
      const tab = await openTab("#/topics");
      await tab.press("Subscribe…");
      await tab.fill("Pattern", "news.*");
      await tab.fill("Target", "news");
      await tab.press("Subscribe");
      await tab.shows(/Subscription \d+ was created/, ".notes");
      await tab.press("Publish a message");
      await tab.fill("Topic", "news.today");
      await tab.fill("Message", '"extra"');
      await tab.press("Publish");
      await tab.shows(/The message went to 1 subscription\./, ".notes");
      const rows = await database.query("select message from queue.peek('news')");
      expect(rows).toEqual([{ message: "extra" }]);
    });

    it("show what a message would go to, without publishing it", async () => {
      const { database } = world().bench;
      await database.query("select queue.create_queue('tested', true)");
      await subscribe(database, "tested.*", { queue: "tested" }, { options: { group: "who" } });
      const tab = await openTab("#/topics");
      await tab.press("Who would get this?");
      await tab.fill("Topic", "tested.a");
      await tab.fill("Message", '{"who": "ada"}');
      await tab.press("Find the targets");
      await tab.shows(/queue tested\s+delivered key ada/, ".dialog");
      await tab.fill("Message", "{}");
      await tab.press("Find the targets");
      await tab.shows(/dead letter the message has no value at "who"/, ".dialog");
      const requests = await held(tab, "/targets");
      await tab.fill("Topic", "nothing.here");
      await tab.press("Find the targets");
      // Another answer could overtake this one.
      await eventually(() => tab.count(".dialog button[type=submit]:disabled"), 1);
      await eventually(() => requests.length, 1);
      await requests[0]?.continue();
      await tab.shows(/No subscription matches/, ".dialog");
      expect(await database.query("select * from queue.peek('tested')")).toEqual([]);
    });

    it("show no password of a url", async () => {
      const { database } = world().bench;
      await subscribe(database, "private.#", { http: "https://user:pass@example.org/hook" });
      const tab = await openTab("#/subscriptions");
      const text = await tab.shows(/private\.#/);
      expect(text).toContain("https://user:***@example.org/hook");
      expect(tab.page.url()).toMatch(/#\/topics$/);
    });
  });

  describe("deliveries", () => {
    it("show what was delivered, waits and has failed, each attempt, and are sent again", async () => {
      const { database } = world().bench;
      const id = await subscribe(database, "logged.#", {
        http: "https://user:pass@example.org/logged",
      });
      const receive = async (): Promise<string> => {
        const [delivery] = await database.query<{ receipt: string }>(
          "select receipt from queue.deliveries_receive(10) where subscription_id = $1",
          [id],
        );
        return delivery?.receipt ?? "";
      };
      const publish = async (topic: string): Promise<string> => {
        await database.query("select queue.send_topic($1, '{\"n\": 1}')", [topic]);
        return receive();
      };
      await database.query("select queue.deliveries_succeeded($1, $2, $3)", [
        [id],
        [await publish("logged.accepted")],
        ['{"status_code": 202, "duration_ms": 40, "response": "taken"}'],
      ]);
      await database.query("select queue.delivery_retry($1, 0, 'status 500', $2)", [
        await publish("logged.waiting"),
        '{"status_code": 500, "response": "oops"}',
      ]);
      await database.query("select queue.delivery_retry($1, 3600, 'no answer within 15 s', '{}')", [
        await receive(),
      ]);
      await database.query("select queue.delivery_abandon($1, 'status 410', $2)", [
        await publish("logged.failed"),
        '{"status_code": 410}',
      ]);

      const tab = await openTab("#/topics");
      await tab.page.locator(`a[href$="#/deliveries?subscription=${id}"]`).click();
      await tab.shows(
        /failed\s+logged\.failed[^]*status 410[^]*waiting\s+next in [^]*logged\.waiting[^]*no answer[^]*delivered\s+logged\.accepted[^]*status 202/,
      );
      expect(await tab.text("main")).toContain("https://user:***@example.org/logged");
      await tab.select("select[name=status]", "waiting");
      await eventually(() => tab.count("tbody tr"), 1);
      expect(tab.page.url()).toContain("status=waiting");
      await tab.page.locator("tbody a.mono").click();
      await tab.shows(/2[^]*no answer within 15 s[^]*1[^]*status 500\s+oops/, ".dialog");
      await tab.press("Send now");
      await tab.shows(/1 of 1 deliveries are sent again/, ".notes");
      expect(await receive()).not.toBe("");
      await tab.shows(/is being made/, ".dialog");
      await tab.press("Close");

      await tab.goTo(`#/deliveries?subscription=${id}&status=delivered`);
      // Until it is read, the list of the address before is shown.
      await tab.shows(/logged\.accepted/, "tbody");
      await tab.page.locator("tbody a.mono").click();
      await tab.shows(/Send again/, ".dialog");
      const requests: string[] = [];
      tab.page.on("request", (request) => void requests.push(request.url()));
      const resends = (): number => requests.filter((url) => url.endsWith("/resend")).length;
      await tab.page.locator('::-p-xpath(//button[.="Send again"])').click({ count: 2 });
      // Another delivery, whose lease has ended, may be received before.
      await eventually(resends, moreThan(0));
      await eventually(receive, (receipt) => receipt !== "");
      expect(resends()).toBe(1);
      await tab.press("Close");

      await tab.goTo(`#/deliveries?subscription=${id}&status=failed`);
      await tab.shows(/logged\.failed/, "tbody");
      await tab.page.locator("tbody input[type=checkbox]").click();
      await tab.press("Send 1 selected again");
      // The note of the delivery before is still there.
      await eventually(
        () => database.query("select * from queue.topic_dead_letters(subscription_id => $1)", [id]),
        [],
      );
      await eventually(receive, (receipt) => receipt !== "");
      await tab.goTo("#/deliveries?subscription=987654321");
      await tab.shows(/No delivery matches/);
    });
  });

  describe("dead letters", () => {
    it("show why messages were not delivered, and send them again", async () => {
      const { database } = world().bench;
      const id = await subscribe(database, "undelivered.#", { http: "https://example.org/gone" });
      await database.query("select queue.send_topic('undelivered.a', '{\"n\": 1}')");
      const [delivery] = await database.query<{ receipt: string }>(
        "select receipt from queue.deliveries_receive(10) where subscription_id = $1",
        [id],
      );
      await database.query("select queue.delivery_abandon($1, 'status 410')", [delivery?.receipt]);
      const tab = await openTab("#/dead-letters");
      await tab.shows(/undelivered\.a[^]*status 410/);
      await tab.press("Send again…");
      await tab.press("Send again");
      await tab.shows(/1 messages are sent again/, ".notes");
      await tab.shows(/All messages were delivered/);
    });
  });
}

/** In the page: how many separate stretches the first chart draws in the colour of ready messages. */
const STRETCHES = `(() => {
  const canvas = document.querySelector(".depths canvas");
  // Chromium warns of a canvas that is read several times.
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const { color } = getComputedStyle(document.querySelector(".depths .ready"));
  const [red, green, blue] = color.match(/\\d+/g).map(Number);
  const isDrawn = (at) => data[at] === red && data[at + 1] === green && data[at + 2] === blue;
  const columns = new Set();
  for (let at = 0; at < data.length; at += 4) {
    if (isDrawn(at)) columns.add((at / 4) % canvas.width);
  }
  return [...columns].filter((column) => !columns.has(column - 1)).length;
})()`;
