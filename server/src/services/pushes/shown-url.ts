import { maskedUrl } from "@oxbow/declared/net";

/** A url for logs and for the explanations of runs, without what may be secret: its password and its query. */
export const shownUrl = (url: string): string => maskedUrl(url).replace(/[?#].*/s, "");
