/**
 * A url without the password in it, to be shown or logged. A password with a /, ? or # that is not encoded, so that the text is
 * no url, ends at the last @. It is known by what follows the colon, which is no port.
 */
export const maskedUrl = (url: string): string =>
  url.replace(
    /^([a-z][a-z\d+.-]*:\/\/)(?:([^/?#:]*:)[^/?#]*|([^/?#:[\]]*:)(?!\d*(?:[/?#]|$)).*|[^/?#]*)@/is,
    (_, scheme: string, name = "", nameBefore = "") => `${scheme}${name}${nameBefore}***@`,
  );
