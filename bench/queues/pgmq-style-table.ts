/**
 * A queue as pgmq lays it out: a time before which a message is invisible, an index on it, FOR UPDATE SKIP LOCKED,
 * and a delete by id. As prepared statements without functions around them, so it is what such a table can do at
 * best; it has no receipts, no dead letters, no groups and no wake-ups.
 */
import type { Subject } from "./subject.ts";

const TABLE = "pgmq_style";

export const pgmqStyleTable: Subject = {
  name: "pgmq-style table",
  create: async (database) => {
    await database.query(`
      drop table if exists ${TABLE};
      create table ${TABLE} (
        msg_id      bigint generated always as identity primary key,
        read_ct     integer not null default 0,
        enqueued_at timestamptz not null default now(),
        vt          timestamptz not null,
        message     jsonb,
        headers     jsonb
      );
      create index on ${TABLE} (vt)`);
  },
  send: async (client, message) => {
    const text = `insert into ${TABLE} (vt, message) values (clock_timestamp(), $1) returning msg_id`;
    await client.query({ name: "insert one", text, values: [message] });
  },
  sendBatch: async (client, messages) => {
    const text = `insert into ${TABLE} (vt, message)
      select clock_timestamp(), unnest($1::jsonb[]) returning msg_id`;
    await client.query({ name: "insert many", text, values: [messages] });
  },
  receiveAndAck: async (client, max) => {
    const { rows } = await client.query<{ msg_id: string }>({
      name: "lease",
      text: `
        with ready as (
          select msg_id
          from ${TABLE}
          where vt <= clock_timestamp()
          order by msg_id
          limit $1
          for update skip locked
        )
        update ${TABLE} as m
        set vt = clock_timestamp() + interval '30 seconds', read_ct = read_ct + 1
        from ready
        where m.msg_id = ready.msg_id
        returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers`,
      values: [max],
    });
    if (rows.length > 0) {
      await client.query({
        name: "delete",
        text: `delete from ${TABLE} where msg_id = any ($1) returning msg_id`,
        values: [rows.map(({ msg_id: id }) => id)],
      });
    }
    return rows.length;
  },
};
