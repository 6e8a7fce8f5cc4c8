/** A text with a mark for each character that Postgres can't store in JSON: NUL, and half of a surrogate pair. */
export const storable = (text: string): string => text.replaceAll(/\0|\p{Surrogate}/gu, "\uFFFD");
