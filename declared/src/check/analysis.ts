/** A document with the types of its nodes and the scopes of its places, before anything in it is checked. */
import type { Document } from "../document/document.ts";
import type { Json } from "../document/json.ts";
import type { Problem } from "../document/problem.ts";
import { structureProblems } from "../document/structure.ts";
import { ExpressionCache } from "../expression/expression-cache.ts";
import type { ResolveReference } from "../types/from-schema.ts";
import type { Type } from "../types/type.ts";
import { Bindings, type BindingServices } from "./bindings.ts";
import type { Catalog } from "./catalog.ts";
import { Findings } from "./findings.ts";
import { NodeTypes } from "./node-types.ts";
import { ReferenceCollector } from "./references.ts";
import { resourceSchemas } from "./resource-schemas.ts";
import { type Place, Scopes } from "./scopes.ts";

/** An editor checks the same expressions with the same catalog again and again. */
const EXPRESSIONS = new WeakMap<Catalog, ExpressionCache>();

function expressionsOf(catalog: Catalog): ExpressionCache {
  const known = EXPRESSIONS.get(catalog);
  if (known !== undefined) return known;
  const expressions = new ExpressionCache();
  EXPRESSIONS.set(catalog, expressions);
  return expressions;
}

export class Analysis {
  readonly document: Document;
  readonly catalog: Catalog;
  readonly services: BindingServices;
  readonly resolve: ResolveReference;
  readonly nodeTypes: NodeTypes;
  readonly scopes: Scopes;
  /** Problems that keep the graph from being a sound one. */
  readonly structure: readonly Problem[];

  /** @param seesAll Whether scopes contain all nodes, rather than only the nodes that their place mentions. */
  constructor(document: Document, catalog: Catalog, seesAll = false) {
    this.document = document;
    this.catalog = catalog;
    this.resolve = resourceSchemas(catalog);
    this.services = {
      catalog,
      expressions: expressionsOf(catalog),
      references: new ReferenceCollector(),
      resolve: this.resolve,
    };
    this.structure = structureProblems(document);
    const typeAt = (given: Json, node: string, scope: "node" | "body"): Type => {
      const place: Place =
        scope === "node" ? { kind: "parameters", node } : { kind: "body", loop: node };
      // Problems and references are collected where the value is checked, with its pointer.
      const services = { ...this.services, references: new ReferenceCollector() };
      return new Bindings(services, this.scopes.at(place), new Findings(), true).type(given, "");
    };
    this.nodeTypes = new NodeTypes(document, catalog, this.resolve, typeAt);
    this.scopes = new Scopes(this, seesAll);
  }
}
