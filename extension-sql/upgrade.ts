/**
 * Computes what an upgrade must drop and alter before it creates its functions, from two texts: the create script of
 * an older release (`released.ts`) and the current sources.
 *
 * `create or replace` does the rest. It can't change parameters, defaults or results, creates an overload if parameter
 * types differ, and can't replace composite types.
 */

interface Type {
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly comment: string;
}

interface Attribute {
  readonly name: string;
  readonly type: string;
  /** Quoted SQL. */
  readonly comment: string;
}

export interface Upgrade {
  /** Statements that run first: functions are dropped before the types in their signatures. */
  readonly dropFunctions: readonly string[];
  /** Statements that run once new types exist, because an old type may get an attribute of a new one. */
  readonly alterTypes: readonly string[];
  /** Names of types that the older release had already. */
  readonly typesThere: ReadonlySet<string>;
}

/** @throws Error for a change that no statement can make: an attribute that moved, or has another type */
export function planUpgrade(released: string, today: string): Upgrade {
  const [oldTypes, newTypes] = [typesIn(released), typesIn(today)];
  return {
    dropFunctions: functionsToDrop(released, today).map((statement) => `${statement};`),
    alterTypes: [...oldTypes.values()]
      .flatMap((type) => typeChanges(type, newTypes.get(type.name)))
      // A dropped type may still be an attribute of another type.
      .toSorted((a, b) => Number(a.startsWith("drop")) - Number(b.startsWith("drop")))
      .map((statement) => `${statement};`),
    typesThere: new Set(oldTypes.keys()),
  };
}

function functionsToDrop(released: string, today: string): string[] {
  const kept = headersIn(today);
  return [...headersIn(released)]
    .filter(([header]) => !kept.has(header))
    .map(([, signature]) => `drop function if exists ${signature}`);
}

/** Maps the header of each function, which precedes its body, to the signature for dropping it. */
function headersIn(text: string): Map<string, string> {
  const found = text.matchAll(
    /^create (?:or replace )?function (queue\.\w+)\(([\s\S]*?)\)\n(returns [\s\S]*?\n)?language /gm,
  );
  return new Map(
    [...found].map(([, name = "", parameters = "", returns = ""]) => {
      const list = splitParameters(parameters);
      const inputs = list
        .filter((parameter) => !parameter.startsWith("out "))
        .map((parameter) => parameter.replace(/ default [\s\S]*$/, ""));
      return [`${name}(${list.join(", ")}) ${squeeze(returns)}`, `${name}(${inputs.join(", ")})`];
    }),
  );
}

function splitParameters(text: string): string[] {
  let depth = 0;
  let current = "";
  const parts: string[] = [];
  for (const character of text) {
    if (character === "(" || character === "[") depth += 1;
    if (character === ")" || character === "]") depth -= 1;
    if (character === "," && depth === 0) {
      parts.push(current);
      current = "";
    } else {
      current += character;
    }
  }
  return [...parts, current].map(squeeze).filter((part) => part !== "");
}

function typesIn(text: string): Map<string, Type> {
  const comments = new Map(
    [...text.matchAll(/^comment on (?:type|column) (queue\.[\w."]+) is\s*('(?:[^']|'')*');/gm)].map(
      ([, name = "", comment = ""]) => [name, comment],
    ),
  );
  return new Map(
    [...text.matchAll(/^create type (queue\.\w+) as \(\n([\s\S]*?)\n\);/gm)].map(
      ([, name = "", body = ""]) => {
        const attributes = splitParameters(body).map((attribute) => {
          const [, own = "", type = ""] = /^("?\w+"?) (.+)$/.exec(attribute) ?? [];
          return { name: own, type, comment: comments.get(`${name}.${own}`) ?? "null" };
        });
        return [name, { name, attributes, comment: comments.get(name) ?? "null" }];
      },
    ),
  );
}

function typeChanges(old: Type, now: Type | undefined): string[] {
  if (now === undefined) return [`drop type if exists ${old.name}`];
  const removed = old.attributes.filter((attribute) => !isIn(now.attributes, attribute));
  const added = now.attributes.filter((attribute) => !isIn(old.attributes, attribute));
  const result = [...old.attributes.filter((attribute) => !removed.includes(attribute)), ...added];
  if (result.some(({ name }, index) => name !== now.attributes[index]?.name)) {
    throw new Error(
      `${old.name}: an upgrade appends attributes, so put ${added.map(({ name }) => name).join(", ")} last`,
    );
  }
  const retyped = added.find(({ name }) => removed.some((other) => other.name === name));
  if (retyped !== undefined) {
    throw new Error(`${old.name}.${retyped.name} has another type: give it another name`);
  }
  return [
    ...removed.map(({ name }) => `alter type ${old.name} drop attribute ${name}`),
    ...added.map(({ name, type }) => `alter type ${old.name} add attribute ${name} ${type}`),
    ...(old.comment === now.comment ? [] : [`comment on type ${old.name} is ${now.comment}`]),
    ...now.attributes
      .filter(({ name, comment }) => comment !== (commentIn(old, name) ?? "null"))
      .map(({ name, comment }) => `comment on column ${old.name}.${name} is ${comment}`),
  ];
}

function commentIn({ attributes }: Type, name: string): string | undefined {
  return attributes.find((attribute) => attribute.name === name)?.comment;
}

function isIn(attributes: readonly Attribute[], { name, type }: Attribute): boolean {
  return attributes.some((other) => other.name === name && other.type === type);
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
