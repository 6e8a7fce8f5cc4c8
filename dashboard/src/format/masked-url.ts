/** A url without its password: others see the screen, too. */
export const maskedUrl = (url: string): string =>
  url.replace(/^(https?:\/\/)([^/?#]*)@/i, (_match, scheme: string, user: string) =>
    user.includes(":") ? `${scheme}${user.split(":")[0] ?? ""}:***@` : `${scheme}***@`,
  );
