/** A noun with its indefinite article. "U" is taken for a consonant, as in "a url" and "a Uint8Array". */
export const withArticle = (noun: string): string =>
  `${/^[aeio]/i.test(noun) ? "an" : "a"} ${noun}`;
