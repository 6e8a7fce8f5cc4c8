/**
 * As much of a document as react-dom needs to render components in Node, for tests of hooks: elements, text, and events
 * that React listens to. `test/react/pages.test.ts` shows the same components in a browser.
 */

type Listener = (event: object) => void;

/** An element or a text; for React also the document. */
export class SmallNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly tagName: string;
  readonly namespaceURI = "http://www.w3.org/1999/xhtml";
  readonly style = {};
  readonly attributes = new Map<string, string>();
  childNodes: SmallNode[] = [];
  parentNode: SmallNode | null = null;
  nodeValue: string | null;
  ownerDocument: SmallNode | undefined;
  readonly #listeners: { readonly type: string; readonly call: Listener }[] = [];

  constructor(nodeType: number, name: string, text: string | null = null) {
    this.nodeType = nodeType;
    this.nodeName = name;
    this.tagName = name;
    this.nodeValue = text;
  }

  get firstChild(): SmallNode | null {
    return this.childNodes[0] ?? null;
  }

  get lastChild(): SmallNode | null {
    return this.childNodes.at(-1) ?? null;
  }

  get nextSibling(): SmallNode | null {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  get textContent(): string {
    return this.nodeValue ?? this.childNodes.map(({ textContent }) => textContent).join("");
  }

  set textContent(text: string) {
    for (const child of this.childNodes) child.parentNode = null;
    this.childNodes = [];
    if (text !== "") this.insertBefore(this.#create(3, "#text", text), null);
  }

  createElement(name: string): SmallNode {
    return this.#create(1, name.toUpperCase(), null);
  }

  createTextNode(text: string): SmallNode {
    return this.#create(3, "#text", text);
  }

  appendChild(child: SmallNode): SmallNode {
    return this.insertBefore(child, null);
  }

  insertBefore(child: SmallNode, next: SmallNode | null): SmallNode {
    child.remove();
    const index = next === null ? this.childNodes.length : this.childNodes.indexOf(next);
    this.childNodes.splice(index, 0, child);
    child.parentNode = this;
    return child;
  }

  removeChild(child: SmallNode): SmallNode {
    child.remove();
    return child;
  }

  remove(): void {
    const { parentNode } = this;
    if (parentNode === null) return;
    parentNode.childNodes = parentNode.childNodes.filter((one) => one !== this);
    this.parentNode = null;
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  addEventListener(type: string, call: Listener): void {
    this.#listeners.push({ type, call });
  }

  removeEventListener(type: string, call: Listener): void {
    const index = this.#listeners.findIndex((one) => one.type === type && one.call === call);
    if (index !== -1) this.#listeners.splice(index, 1);
  }

  /** All elements in it with a tag or a class. */
  all(selector: string): SmallNode[] {
    const isIt = selector.startsWith(".")
      ? (this.attributes.get("class") ?? "").split(" ").includes(selector.slice(1))
      : this.tagName === selector.toUpperCase();
    return [...(isIt ? [this] : []), ...this.childNodes.flatMap((child) => child.all(selector))];
  }

  /** Presses the first button in it. */
  press(): void {
    const [target] = this.all("button");
    if (target === undefined) throw new Error("There is no button.");
    const event = { type: "click", target, bubbles: true, timeStamp: Date.now(), button: 0 };
    for (const { type, call } of this.#listeners) if (type === "click") call(event);
  }

  #create(nodeType: number, name: string, text: string | null): SmallNode {
    const node = new SmallNode(nodeType, name, text);
    node.ownerDocument = this.nodeType === 9 ? this : this.ownerDocument;
    return node;
  }
}

/** Lets react-dom render in this process. Returns a function that makes an element to render into. */
export function openSmallDocument(): () => SmallNode {
  const document = new SmallNode(9, "#document");
  // React asks whether what has the focus is a frame.
  const window = { document, HTMLIFrameElement: Map };
  Object.assign(document, { defaultView: window, activeElement: null });
  Object.assign(globalThis, { window, document });
  return () => document.createElement("main");
}
