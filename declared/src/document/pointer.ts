/** Extends a JSON Pointer (RFC 6901) by a member or an index; the pointer of the whole document is "". */
export function childPointer(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
