/** The shop: its tables, and the tools by which the agent reads and changes them. */
import { txOf } from "@oxbow/ai";
import { tool } from "ai";
import pg from "pg";
import { z } from "zod";

/** Who asks. An application takes it from the session of the request, and passes it in the input of the run. */
const CUSTOMER = "ada@example.com";

export const TABLES = `
  create schema if not exists shop;
  create table if not exists shop.product (name text primary key, price numeric(10, 2) not null);
  create table if not exists shop.purchase (
    id       integer primary key,
    customer text not null,
    product  text not null references shop.product
  );
  create table if not exists shop.refund (purchase integer primary key, sum numeric(10, 2) not null);
  create table if not exists shop.mail (id text primary key, recipient text not null, subject text not null, text text not null);
  insert into shop.product values ('Desk lamp Otto', 39), ('Floor lamp Vera', 129), ('Night light Nils', 12)
    on conflict do nothing;
  insert into shop.purchase values (7, '${CUSTOMER}', 'Desk lamp Otto'), (8, '${CUSTOMER}', 'Night light Nils')
    on conflict do nothing;
`;

const pool = new pg.Pool({ connectionString: process.env["QUEUE_URL"], max: 4 });

export const close = (): Promise<void> => pool.end();

export const search = tool({
  description: "Finds products of the shop by a part of their name, or the orders of the customer.",
  inputSchema: z.object({ kind: z.enum(["products", "orders"]), text: z.string() }),
  execute: async ({ kind, text }) => {
    const { rows } =
      kind === "products"
        ? await pool.query<object>(
            "select name as product, price::float from shop.product where position(lower($1) in lower(name)) > 0 order by price",
            [text],
          )
        : await pool.query<object>(
            `select id as "order", product, price::float from shop.purchase join shop.product on name = product
             where customer = $1 order by id`,
            [CUSTOMER],
          );
    return rows;
  },
});

/**
 * Its SQL commits together with the step: see `tx` in support.ts. The key of the table refuses a second refund, also if two
 * chats ask for it at the same time.
 */
export const refund = tool({
  description: "Pays the price of an order back to the customer.",
  inputSchema: z.object({ order: z.number().int() }),
  execute: async ({ order }, call) => {
    const { rows } = await txOf(call).query(
      `insert into shop.refund
       select id, price from shop.purchase join shop.product on name = product
       where id = $1 and customer = $2
       on conflict do nothing returning sum::float`,
      [order, CUSTOMER],
    );
    const [refunded] = rows;
    if (refunded === undefined) {
      throw new Error(`Order ${order} isn't yours, or was refunded before.`);
    }
    return refunded;
  },
});

/** May be called again after a crash, so it is idempotent: the id of the call is the key of the mail. */
export const sendMail = tool({
  description: "Sends a mail to the customer.",
  inputSchema: z.object({ subject: z.string(), text: z.string() }),
  execute: async ({ subject, text }, { toolCallId }) => {
    await pool.query("insert into shop.mail values ($1, $2, $3, $4) on conflict do nothing", [
      toolCallId,
      CUSTOMER,
      subject,
      text,
    ]);
    return { sentTo: CUSTOMER };
  },
});
