/**
 * Whatever is passed to the functions of a queue is refused with one of Oxbow's errors, or kept as it is. Nothing
 * of it is run, and nothing is written halfway.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  acknowledge,
  messages,
  newQueue,
  only,
  receive,
  receiveFifo,
  sendFifo,
} from "../../helpers/queues.ts";

const database = await createDatabase();

const HOSTILE_TEXTS: readonly string[] = [
  "'; drop table queue.queue; --",
  '"; drop table queue.queue; --',
  "$$; drop schema queue cascade; $$",
  "$1 $2 $sql$ $function$",
  "%I %1$s %L %s %%",
  "q_x; select 1",
  "a.b",
  String.raw`\'; select pg_sleep(9)`,
  "line\nfeed\ttab\r",
  "queue\u200Bname",
  // Cyrillic а, fullwidth ａ, a combining mark, a right-to-left override, an emoji beyond the basic plane.
  "\u0430dmin",
  "\uFF41dmin",
  "cafe\u0301",
  "\u202Eadmin",
  "\u{1F4A5}",
  " leading",
  "trailing ",
  "UPPER",
];

const HOSTILE_NAMES = [...HOSTILE_TEXTS, "", "-dash", "x".repeat(49), "x".repeat(100_000), null];

const CALLS_BY_NAME: readonly string[] = [
  "queue.drop_queue($1)",
  "queue.purge_queue($1)",
  "queue.queue_stats($1)",
  "queue.next_visible_at($1)",
  "queue.send($1, '1')",
  "queue.send_batch($1, array['1'::jsonb])",
  "queue.send_fifo($1, '1', 'group')",
  "queue.send_fifo($1, '1', 'group', 'once')",
  "queue.receive($1)",
  "queue.receive_fifo($1)",
  "queue.change_visibility($1, 1, 0)",
  "queue.delete($1, 1)",
  "queue.delete_batch($1, '{1}')",
  "queue.redrive($1)",
  "queue.move_messages($1, 'other')",
];

/** Everything that a call could have changed. */
const everything = async (): Promise<unknown> =>
  database.query(
    `select array(select name from queue.queue order by name) as queues,
       array(select oid::text || relname from pg_class where relnamespace = 'queue'::regnamespace order by 1)
         as relations,
       (select count(*) from queue.deduplication) as remembered`,
  );

const refused = async (call: string, values: readonly unknown[]): Promise<string> => {
  try {
    await database.query(`select ${call}`, values);
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
  return "not refused";
};

await newQueue(database);

describe("a hostile queue name", () => {
  it("is refused by create_queue, whatever it means elsewhere", async () => {
    const before = await everything();
    for (const name of HOSTILE_NAMES) {
      expect([name, await refused("queue.create_queue($1)", [name])]).toEqual([name, "OX003"]);
    }
    for (const name of ["__own", "__wf_x"]) {
      expect([name, await refused("queue.create_queue($1)", [name])]).toEqual([name, "OX003"]);
    }
    expect(await everything()).toEqual(before);
  });

  it("is refused as a dead letter queue", async () => {
    const before = await everything();
    for (const name of HOSTILE_NAMES.filter((value) => value !== null)) {
      const call = "queue.create_queue('good', max_receives => 1, dead_letter_queue => $1)";
      expect([name, await refused(call, [name])]).toEqual([name, "OX001"]);
    }
    expect(await everything()).toEqual(before);
  });

  it.each(CALLS_BY_NAME)("is unknown to %s", async (call) => {
    const before = await everything();
    for (const name of [...HOSTILE_NAMES, "queue", "q_queue", "deduplication"]) {
      expect([name, await refused(call, [name])]).toEqual([name, "OX001"]);
    }
    expect(await everything()).toEqual(before);
  });

  it("cannot hold a zero byte, which no text of Postgres can", async () => {
    expect(await refused("queue.create_queue($1)", ["a\u0000b"])).toBe("22021");
  });

  it.each(["select", "_", "1", "a--b", "q_q_x", "ids_of_q_x", "x".repeat(48), "queue", "null"])(
    "%s is good, however odd",
    async (name) => {
      for (const fifo of [false, true]) {
        await database.query("select queue.create_queue($1, $2)", [name, fifo]);
        if (fifo) await sendFifo(database, name, name, name, name);
        else await database.query("select queue.send($1::text, to_jsonb($1::text))", [name]);
        const delivery = only(await (fifo ? receiveFifo : receive)(database, name));
        expect(delivery.message).toBe(name);
        expect(await acknowledge(database, name, delivery)).toBe(true);
        await database.query("select queue.drop_queue($1)", [name]);
      }
    },
  );

  it("of two queues that begin alike, both at the limit, keeps their messages apart", async () => {
    const names = ["a", "b"].map((last) => "y".repeat(47) + last);
    for (const name of names) {
      await database.query("select queue.create_queue($1, true)", [name]);
      await sendFifo(database, name, name, "group", "once");
    }
    for (const name of names) {
      expect(messages(await receiveFifo(database, name, 10))).toEqual([name]);
    }
  });
});

describe("a hostile message group or deduplication id", () => {
  it("is kept as it is, and different texts are different groups", async () => {
    const queue = await newQueue(database, { fifo: true });
    const groups = [...HOSTILE_TEXTS, "caf\u00E9", "admin", "\u{1F4A5}".repeat(512)];
    for (const group of groups) await sendFifo(database, queue, group, group, group);
    const deliveries = await receiveFifo(database, queue, 1_000);
    expect(deliveries.map((delivery) => delivery.message_group_id)).toEqual(groups);
    expect(messages(deliveries)).toEqual(groups);
    for (const delivery of deliveries) await acknowledge(database, queue, delivery);
    // Each is known now, and not taken for another.
    const ids = new Set<string>();
    for (const group of groups) ids.add(await sendFifo(database, queue, "again", "other", group));
    expect(ids.size).toBe(groups.length);
    expect(await receiveFifo(database, queue)).toEqual([]);
  });

  it("comes back unchanged, whatever text it is", async () => {
    const queue = await newQueue(database, { fifo: true });
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 100 })
      .filter((value) => value.length <= 512);
    await fc.assert(
      fc.asyncProperty(text, text, async (group, message) => {
        await sendFifo(database, queue, message, group);
        const delivery = only(await receiveFifo(database, queue));
        expect(delivery).toMatchObject({ message_group_id: group, message });
        expect(await acknowledge(database, queue, delivery)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("is refused when it is longer than an index can hold", async () => {
    const queue = await newQueue(database, { fifo: true });
    const call = "queue.send_fifo($1, '1', $2, $3)";
    const long = "\u{1F4A5}".repeat(513);
    expect(await refused(call, [queue, long, null])).toBe("OX004");
    expect(await refused(call, [queue, "group", long])).toBe("OX004");
    expect(await refused(call, [queue, "x".repeat(1_000_000), null])).toBe("OX004");
    expect(await receiveFifo(database, queue)).toEqual([]);
  });
});

describe("hostile JSON", () => {
  it("comes back unchanged, whatever it is", async () => {
    const queue = await newQueue(database);
    // Postgres has no zero character and no half of a surrogate pair, and its numbers have no negative zero.
    const isStorable = (text: string): boolean => !/\\u0000|\\ud[89a-f]/.test(text);
    const json = fc
      .json({ maxDepth: 6, stringUnit: "binary" })
      .filter(isStorable)
      .map((text) => JSON.parse(text.replaceAll("-0", "0")) as unknown);
    await fc.assert(
      fc.asyncProperty(json, async (message) => {
        await database.query("select queue.send($1, $2, 0, $3)", [
          queue,
          JSON.stringify(message),
          JSON.stringify({ message }),
        ]);
        const delivery = only(await receive(database, queue));
        expect(delivery.message).toEqual(message);
        expect(delivery.headers).toEqual({ message });
        expect(await acknowledge(database, queue, delivery)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ["numbers beyond a double", "[1e400, 123456789012345678901234567890.5, 0.1e-300]"],
    ["texts that look like SQL", JSON.stringify(HOSTILE_TEXTS)],
    [
      "keys that look like SQL",
      JSON.stringify(Object.fromEntries(HOSTILE_TEXTS.map((key) => [key, key]))),
    ],
    ["a thousand levels", "[".repeat(1_000) + "]".repeat(1_000)],
    ["a key that is nothing", '{"": {"": ""}}'],
    ["null", "null"],
  ])("is kept as it is: %s", async (_, message) => {
    const queue = await newQueue(database);
    const [sent] = await database.query(
      "select queue.send($1, $2::jsonb, 0, jsonb_build_object('h', $2::jsonb)) as id",
      [queue, message],
    );
    expect(sent).toBeDefined();
    expect(
      await database.query(
        `select message = $2::jsonb and headers -> 'h' = $2::jsonb as is_same
         from queue.receive($1, 1, 0, $2::jsonb)`,
        [queue, message],
      ),
    ).toEqual([{ is_same: true }]);
  });

  it.each([
    ["a zero character", String.raw`"\u0000"`, "22P05"],
    ["half a surrogate pair", String.raw`"\ud800"`, "22P02"],
    ["a million levels", "[".repeat(1_000_000) + "]".repeat(1_000_000), "54001"],
    ["NaN", "NaN", "22P02"],
    ["an exponent of a billion", "1e1000000000", "22003"],
  ])("that no jsonb can hold is refused before a queue sees it: %s", async (_, message, code) => {
    const queue = await newQueue(database);
    expect(await refused("queue.send($1, $2::jsonb)", [queue, message])).toBe(code);
    expect(await receive(database, queue)).toEqual([]);
  });

  it.each(["1", '"text"', "[]", "null", "true"])("as headers is refused: %s", async (headers) => {
    const queue = await newQueue(database);
    expect(await refused("queue.send($1, '1', 0, $2::jsonb)", [queue, headers])).toBe("OX004");
    const batch = "queue.send_batch($1, array['1', '2']::jsonb[], 0, array[null, $2::jsonb])";
    expect(await refused(batch, [queue, headers])).toBe("OX004");
    expect(await receive(database, queue, 10)).toEqual([]);
  });

  it("of 1 MiB is kept, and one over the limit of 16 MiB is refused with its whole batch", async () => {
    const queue = await newQueue(database);
    const large = "x".repeat(1_048_576);
    await database.query("select queue.send($1, to_jsonb($2::text))", [queue, large]);
    const delivery = only(await receive(database, queue));
    expect(delivery.message === large).toBe(true);
    await acknowledge(database, queue, delivery);
    const batch = `queue.send_batch($1, array['1', to_jsonb(repeat('x', 16777216)), '3'])`;
    expect(await refused(batch, [queue])).toBe("OX008");
    expect(await receive(database, queue, 10)).toEqual([]);
  });
});

describe("arguments out of bounds", () => {
  it.each([
    ["queue.send($1, null)"],
    ["queue.send($1, '1', -0.001)"],
    ["queue.send($1, '1', 'NaN')"],
    ["queue.send($1, '1', 'Infinity')"],
    ["queue.send($1, '1', 1e300)"],
    ["queue.send($1, '1', 3153600000.001)"],
    ["queue.send_batch($1, null)"],
    ["queue.send_batch($1, array['1', null]::jsonb[])"],
    ["queue.send_batch($1, array[array['1', '2'], array['3', '4']]::jsonb[])"],
    ["queue.send_batch($1, array['1']::jsonb[], 0, array['{}', '{}']::jsonb[])"],
    ["queue.receive($1, null)"],
    ["queue.receive($1, 0)"],
    ["queue.receive($1, 10001)"],
    ["queue.receive($1, -2147483648)"],
    ["queue.receive($1, 1, -1)"],
    ["queue.change_visibility($1, 1, -1)"],
    ["queue.change_visibility($1, 1, 'NaN')"],
    ["queue.change_visibility($1, 1, '-Infinity')"],
    ["queue.change_visibility($1, 1, null)"],
    ["queue.redrive($1, 0)"],
    ["queue.redrive($1, null)"],
  ])("are refused: %s", async (call) => {
    const queue = await newQueue(database);
    expect(await refused(call, [queue])).toBe("OX004");
    expect(await receive(database, queue, 10)).toEqual([]);
  });

  it("at their limits are good", async () => {
    const queue = await newQueue(database);
    await database.query("select queue.send($1, '1', 3153600000), queue.send($1, '2')", [queue]);
    const [delivery] = await receive(database, queue, 10_000, { visibilityTimeout: 2_147_483_647 });
    expect(delivery?.message).toBe(2);
  });

  it.each(["null", "0", "-1", "9223372036854775807", "'-9223372036854775808'"])(
    "as a receipt are dead: %s",
    async (receipt) => {
      for (const fifo of [false, true]) {
        const queue = await newQueue(database, { fifo });
        expect(
          await database.query(
            `select queue.delete($1, ${receipt}) as deleted,
               queue.change_visibility($1, ${receipt}, 0) as changed,
               array(select queue.delete_batch($1, array[${receipt}, null]::bigint[])) as batch`,
            [queue],
          ),
        ).toEqual([{ deleted: false, changed: false, batch: [] }]);
      }
    },
  );

  it("as an empty or missing batch of receipts delete nothing", async () => {
    const queue = await newQueue(database, { fifo: true });
    for (const receipts of [null, []]) {
      expect(
        await database.query("select queue.delete_batch($1, $2::bigint[])", [queue, receipts]),
      ).toEqual([]);
    }
  });
});

describe("a forged dead letter header", () => {
  const setup = async (fifo: boolean): Promise<{ queue: string; letters: string }> => {
    const letters = await newQueue(database);
    const queue = await newQueue(database, { fifo, maxReceives: 1, deadLetterQueue: letters });
    return { queue, letters };
  };

  it.each([
    ["is no object", () => 1],
    ["is a text", () => "'; drop table queue.queue; --"],
    ["names a queue that cannot be", () => ({ queue: '"; drop table queue.queue; --' })],
    ["names a queue as a list", (queue: string) => ({ queue: [queue] })],
    ["has no group", (queue: string) => ({ queue })],
    ["has an empty group", (queue: string) => ({ queue, message_group_id: "" })],
    [
      "has a group that no index can hold",
      (queue: string) => ({
        queue,
        message_group_id: Array.from({ length: 9_000 }, (_, n) => n.toString(36)).join(""),
      }),
    ],
  ])("does not stand in the way of other letters when it %s", async (_, header) => {
    const { queue, letters } = await setup(true);
    const send = async (letter: unknown): Promise<unknown> =>
      database.query("select queue.send($1, '1', 0, $2)", [
        letters,
        JSON.stringify({ dead_letter: letter }),
      ]);
    await send(header(queue));
    await send({ queue, message_group_id: "good" });
    expect(await database.query("select queue.redrive($1)::int as redriven", [letters])).toEqual([
      { redriven: 1 },
    ]);
    expect(only(await receiveFifo(database, queue, 10)).message_group_id).toBe("good");
    expect(await receive(database, letters, 10)).toHaveLength(1);
  });
});

it("nothing was broken by all of this", async () => {
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});
