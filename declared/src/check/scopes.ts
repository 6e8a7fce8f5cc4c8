/** The names that expressions of a document can read, by place, with their types and their guarantees. */
import type { Document } from "../document/document.ts";
import type { Problem } from "../document/problem.ts";
import { nameOfType, type Plan, planOf } from "../graph/plan.ts";
import type { Environment } from "../types/environment.ts";
import { type ResolveReference, typeOfSchema } from "../types/from-schema.ts";
import { hintOfClosest } from "../types/stepping.ts";
import {
  ALWAYS,
  BOOLEAN,
  INTEGER,
  type Member,
  objectOf,
  type Presence,
  SOMETIMES,
  TEXT,
  TIME,
  type Type,
  UNKNOWN,
} from "../types/type.ts";
import type { Catalog } from "./catalog.ts";
import { Guarantees } from "./guarantees.ts";
import type { Standing } from "./worlds.ts";
import type { NodeTypes } from "./node-types.ts";

/** Where an expression stands. */
export type Place =
  /** Parameters of a node: they may read `now` unless the node is pure. */
  | { readonly kind: "parameters" | "guard" | "fallback" | "rollback"; readonly node: string }
  /** At the end of an iteration of a loop. */
  | { readonly kind: "body"; readonly loop: string };

const ERROR_TYPE: Type = {
  kind: "object",
  members: new Map([
    ["code", { type: TEXT, presence: SOMETIMES }],
    ["message", { type: TEXT, presence: ALWAYS }],
  ]),
  others: UNKNOWN,
};

const RUN_TYPE = objectOf({ id: TEXT, started_at: TIME, test: BOOLEAN });

interface ScopesOptions {
  readonly document: Document;
  readonly catalog: Catalog;
  readonly resolve: ResolveReference;
  readonly nodeTypes: NodeTypes;
  /** Problems that keep the graph from being a sound one. */
  readonly structure: readonly Problem[];
}

export class Scopes {
  private readonly document: Document;
  private readonly catalog: Catalog;
  private readonly resolve: ResolveReference;
  private readonly nodeTypes: NodeTypes;
  /** Guarantees by the loop around; undefined for a graph that is not sound. */
  private readonly levels: ReadonlyMap<string | undefined, Guarantees> | undefined;
  private readonly plan: Plan | undefined;
  private readonly standings = new Map<string, ReadonlyMap<string, Standing>>();
  /** Per node: the nodes that its text names. */
  private readonly mentions = new Map<string, readonly string[]>();
  private readonly seesAll: boolean;
  private readonly input: Member;
  private readonly config: Member;

  /** @param seesAll Whether scopes contain all nodes, rather than only those that their place mentions. */
  constructor(
    { document, catalog, resolve, nodeTypes, structure }: ScopesOptions,
    seesAll: boolean,
  ) {
    this.seesAll = seesAll;
    this.document = document;
    this.catalog = catalog;
    this.resolve = resolve;
    this.nodeTypes = nodeTypes;
    this.input = { type: typeOfSchema(document.input, resolve), presence: ALWAYS };
    this.config = { type: this.configs(), presence: ALWAYS };
    this.plan = structure.length === 0 ? planOf(document) : undefined;
    this.levels = this.plan === undefined ? undefined : this.levelsOf(this.plan);
  }

  /** Ids of nodes after all that they read: upstream first, and the body of a loop before the loop. */
  order(plan = this.plan): readonly string[] {
    return (plan?.nodes ?? []).flatMap(({ id, body }) => [
      ...(body === undefined ? [] : this.order(body)),
      id,
    ]);
  }

  /** Whether a node runs in some combination of decisions. */
  canRun(id: string): boolean {
    return this.levels?.get(this.document.nodes[id]?.parent)?.canRun(id) ?? true;
  }

  at(place: Place): Environment {
    const loops = this.loopsAround(place);
    const variables = new Map<string, Member>([
      ["input", this.input],
      ["nodes", { type: this.nodesAt(place), presence: ALWAYS }],
      ["run", { type: RUN_TYPE, presence: ALWAYS }],
      ["config", this.config],
      ["now", { type: TIME, presence: this.presenceOfNow(place) }],
      ["event", { type: UNKNOWN, presence: ONLY_IN_TRIGGERS }],
      ["item", this.itemOf(loops[0])],
      ["index", { type: INTEGER, presence: loops.length > 0 ? ALWAYS : ONLY_IN_LOOPS }],
      [
        "loops",
        {
          type: objectOf(
            Object.fromEntries(
              loops.map((loop) => [
                loop,
                objectOf({ item: this.itemOf(loop).type, index: INTEGER }),
              ]),
            ),
          ),
          presence: loops.length > 0 ? ALWAYS : ONLY_IN_LOOPS,
        },
      ],
    ]);
    return { variables };
  }

  ofTrigger(event: Type): Environment {
    const { catalog, resolve } = this;
    return {
      variables: new Map([["event", { type: event, presence: ALWAYS }]]),
      resource: (type) => typeOfSchema(catalog.resourceType?.(type)?.schema, resolve),
    };
  }

  private levelsOf(plan: Plan, parent?: string): ReadonlyMap<string | undefined, Guarantees> {
    const levels = new Map<string | undefined, Guarantees>([
      [parent, new Guarantees(plan, (id) => this.nodeTypes.decisions(id))],
    ]);
    for (const { id, body } of plan.nodes) {
      if (body === undefined) continue;
      for (const [loop, level] of this.levelsOf(body, id)) levels.set(loop, level);
    }
    return levels;
  }

  /** The loops around a place, innermost first. */
  private loopsAround(place: Place): readonly string[] {
    const loops: string[] = [];
    let loop = place.kind === "body" ? place.loop : this.document.nodes[place.node]?.parent;
    while (loop !== undefined && loops.length < 10) {
      loops.push(loop);
      loop = this.document.nodes[loop]?.parent;
    }
    return loops;
  }

  private itemOf(loop: string | undefined): Member {
    const type = loop === undefined ? "" : nameOfType(this.document.nodes[loop]?.type ?? "");
    if (loop === undefined || type === "") return { type: UNKNOWN, presence: ONLY_IN_LOOPS };
    if (type === "for_each") return { type: this.nodeTypes.items(loop), presence: ALWAYS };
    const reason = `the loop "${loop}" has no items`;
    return { type: UNKNOWN, presence: { kind: "never", reason, hint: "Use index, from 0." } };
  }

  private presenceOfNow(place: Place): Presence {
    const isPure =
      place.kind === "parameters" && this.nodeTypes.description(place.node)?.isPure === true;
    if ((place.kind === "parameters" || place.kind === "rollback") && !isPure) return ALWAYS;
    return {
      kind: "never",
      reason: "now can't be read here, since a replay would answer differently",
      hint: "Read it in a parameter of a node with effects, or use run.started_at.",
    };
  }

  /** The members that the text of the document mentions. */
  private configs(): Type {
    const { config } = this.catalog;
    if (config === undefined) return UNKNOWN;
    const names = new Set(
      [
        ...JSON.stringify(this.document).matchAll(/\bconfig(?:\.|\[\\?["'])([_a-zA-Z][\w.-]*)/g),
      ].flatMap(([, name = ""]) => [name, name.split(/\W/)[0] ?? name]),
    );
    const members = [...names].map((name): [string, Member] => {
      const found = config(name);
      if (found !== undefined) {
        return [name, { type: typeOfSchema(found.schema, this.resolve), presence: ALWAYS }];
      }
      const reason = `there is no config "${name}"`;
      const hint = "Set it in this environment first.";
      return [
        name,
        { type: UNKNOWN, presence: { kind: "never", code: "UNKNOWN_CONFIG", reason, hint } },
      ];
    });
    return { kind: "object", members: new Map(members), others: undefined };
  }

  /** The nodes that the place mentions, with their possible states. */
  private nodesAt(place: Place): Type {
    const members = new Map<string, Member>();
    for (const id of this.mentionedAt(place)) members.set(id, this.nodeAt(place, id));
    return { kind: "object", members, others: undefined };
  }

  private mentionedAt(place: Place): readonly string[] {
    if (this.seesAll) return Object.keys(this.document.nodes);
    const id = place.kind === "body" ? place.loop : place.node;
    const known = this.mentions.get(id);
    if (known !== undefined) return known;
    const found = JSON.stringify(this.document.nodes[id] ?? {}).matchAll(
      /\bnodes\s*(?:\.\s*`?|\[\s*\\?["'])([a-z]\w*)/g,
    );
    const ids = [...new Set([...found].map(([, each = ""]) => each))];
    this.mentions.set(id, ids);
    return ids;
  }

  private nodeAt(place: Place, id: string): Member {
    const { nodes } = this.document;
    if (!Object.hasOwn(nodes, id)) {
      const reason = `there is no node "${id}"`;
      const hint = hintOfClosest(id, Object.keys(nodes), "Name a node of this workflow.");
      return { type: UNKNOWN, presence: { kind: "never", code: "UNKNOWN_NODE", reason, hint } };
    }
    const standing = this.standingOf(place, id);
    const output = { type: this.nodeTypes.output(id), presence: presenceOfOutput(id, standing) };
    const error = { type: ERROR_TYPE, presence: presenceOfError(id, standing) };
    const members = new Map<string, Member>([
      ["output", output],
      ["error", error],
    ]);
    const type: Type = { kind: "object", members, others: undefined };
    return { type, presence: presenceOfNode(id, standing) };
  }

  /** The possible states of a node, as far as the place can see it. */
  private standingOf(place: Place, id: string): Standing {
    if (this.levels === undefined) return ANYTHING;
    const { nodes } = this.document;
    const parent = nodes[id]?.parent;
    const loops = this.loopsAround(place);
    if (place.kind === "rollback" && place.node === id) return SUCCEEDED;
    if (place.kind === "body" && parent === place.loop) {
      return this.standingsAt(parent, undefined, place, id);
    }
    const around = [place.kind === "body" ? place.loop : place.node, ...loops];
    const target = around.find((each) => nodes[each]?.parent === parent);
    if (target === undefined) {
      const reason = `"${id}" is inside the loop "${parent}", which has ended or not begun here`;
      return { maySucceed: false, mayFail: false, mayBeAbsent: true, reason };
    }
    const standing = this.standingsAt(parent, target, place, id);
    if (place.kind === "rollback") return laterThan(standing);
    // A fallback may be asked for because a node before it failed.
    return place.kind === "fallback" ? { ...standing, mayFail: true, mayBeAbsent: true } : standing;
  }

  /** Answers for all mentioned nodes of a level together, since each question enumerates the same decisions. */
  private standingsAt(
    level: string | undefined,
    target: string | undefined,
    place: Place,
    id: string,
  ): Standing {
    const around = place.kind === "body" ? place.loop : place.node;
    const key = `${place.kind} ${around} ${level ?? ""} ${target ?? ""}`;
    const known = this.standings.get(key);
    if (known !== undefined) return known.get(id) ?? ANYTHING;
    const ids = this.mentionedAt(place).filter(
      (each) => this.document.nodes[each]?.parent === level,
    );
    const found = this.levels?.get(level)?.at(target, ids) ?? new Map<string, Standing>();
    this.standings.set(key, found);
    return found.get(id) ?? ANYTHING;
  }
}

const ONLY_IN_TRIGGERS: Presence = {
  kind: "never",
  reason: "event can be read in triggers only",
  hint: "Hand it over in the input of the trigger, and read input.",
};

const ONLY_IN_LOOPS: Presence = {
  kind: "never",
  reason: "item, index and loops can be read in loops only",
  hint: "Put the node into a loop: give it a parent.",
};

const ANYTHING: Standing = { maySucceed: true, mayFail: false, mayBeAbsent: false };
const SUCCEEDED = ANYTHING;

/** What has not run before may have run later. */
function laterThan({ mayBeAbsent, ...standing }: Standing): Standing {
  return mayBeAbsent
    ? { ...standing, maySucceed: true, mayFail: true, mayBeAbsent }
    : { ...standing, mayBeAbsent };
}

function presenceOfNode(id: string, standing: Standing): Presence {
  const { maySucceed, mayFail, mayBeAbsent, reason, isUnchecked } = standing;
  if (!mayBeAbsent) return ALWAYS;
  const why = reason ?? `"${id}" may not have run`;
  if (!maySucceed && !mayFail) {
    return { kind: "never", reason: why, hint: `Read a node that runs before this one.` };
  }
  const message = isUnchecked === true ? `"${id}" may not have run: ${why}` : why;
  return { kind: "sometimes", reason: message, hint: remedy(id) };
}

function presenceOfOutput(id: string, { maySucceed, mayFail, reason }: Standing): Presence {
  if (!mayFail) return ALWAYS;
  const why = reason ?? `"${id}" has no output when it fails`;
  return maySucceed
    ? { kind: "sometimes", reason: why, hint: remedy(id) }
    : {
        kind: "never",
        reason: `"${id}" has failed here, so that it has no output`,
        hint: `Read nodes.${id}.error.`,
      };
}

function presenceOfError(id: string, { maySucceed, mayFail }: Standing): Presence {
  if (!mayFail) {
    const reason = `"${id}" has not failed here, so that it has no error`;
    return { kind: "never", reason, hint: `Read it after the handle "error".` };
  }
  const reason = `"${id}" has no error when it succeeds`;
  return maySucceed
    ? { kind: "sometimes", reason, hint: `Ask first: has(nodes.${id}.error).` }
    : ALWAYS;
}

const remedy = (id: string): string =>
  `Ask first with has(nodes.${id}.output), give the $path a default, or change the join so that it waits for "${id}".`;
