import { setTimeout as delay } from "node:timers/promises";

export interface Mail {
  readonly to: string;
  readonly subject: string;
}

/** Sends a mail through the service at `MAIL_URL`. Without one, prints it after as long as a service might take. */
export async function sendMail(mail: Mail, signal: AbortSignal): Promise<void> {
  const url = process.env.MAIL_URL;
  if (url === undefined) {
    await delay(1_500, undefined, { signal });
    console.log("mail", mail);
    return;
  }
  const response = await fetch(url, { method: "POST", body: JSON.stringify(mail), signal });
  if (!response.ok) throw new Error(`The mail service answered ${response.status}.`);
}
