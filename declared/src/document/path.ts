/** One step of a path: the name of a member, or the index of an item. */
export type PathStep = string | number;

/**
 * Reads a path into the scope, such as `nodes.fetch.output.items[0].id`. Members whose names aren't identifiers are
 * quoted: `input["first name"]`. Returns undefined if the text is no path.
 */
export function readPath(text: string): readonly PathStep[] | undefined {
  const steps: PathStep[] = [];
  let rest = `.${text}`;
  while (rest !== "") {
    const found = STEP.exec(rest);
    if (found === null) return undefined;
    const [all, name, index, quoted] = found;
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else {
      const key = unquoted(quoted);
      if (key === undefined) return undefined;
      steps.push(key);
    }
    rest = rest.slice(all.length);
  }
  return steps;
}

const STEP = /^(?:\.([A-Za-z_]\w*)|\[(0|[1-9]\d{0,8})\]|\[("(?:[^"\\]|\\.)*")\])/;

function unquoted(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as string);
  } catch {
    return undefined;
  }
}
