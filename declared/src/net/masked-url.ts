/** A url without the password in it, to be shown or logged. */
export const maskedUrl = (url: string): string =>
  url.replace(/^([a-z][a-z\d+.-]*:\/\/)([^/?#]*)@/i, (_, scheme: string, user: string) =>
    user.includes(":") ? `${scheme}${user.split(":")[0] ?? ""}:***@` : `${scheme}***@`,
  );
