/** A tab of a browser, as tests use it. */
import type { Page } from "puppeteer-core";
import { eventually } from "./eventually.ts";

/** An element, as the browser has it. */
interface Target {
  readonly ownerDocument: { elementFromPoint(x: number, y: number): Target | null };
  contains(other: Target): boolean;
  scrollIntoView(how: object): void;
  getBoundingClientRect(): Record<"left" | "top" | "width" | "height", number>;
}

export class Tab {
  readonly page: Page;
  /** Errors, violations and foreign requests. */
  readonly troubles: string[] = [];
  readonly #url: string;

  /** @param mayVisit Another site, whose pages are no trouble. */
  constructor(page: Page, url: string, mayVisit = url) {
    this.page = page;
    this.#url = url;
    page.setDefaultTimeout(60_000);
    page.on("pageerror", (error) => void this.troubles.push(String(error)));
    page.on("console", (message) => {
      // The browser itself logs refusals of the server; pages show them.
      const isRefusal = /Failed to load resource: .* status of 4/.test(message.text());
      if ((message.type() === "error" || message.type() === "warn") && !isRefusal) {
        this.troubles.push(message.text());
      }
    });
    page.on("request", (request) => {
      const from = request.url();
      const isKnown = [url, mayVisit, "blob:"].some((start) => from.startsWith(start));
      if (!isKnown) this.troubles.push(from);
    });
  }

  async goTo(address: string): Promise<void> {
    await this.page.goto(`${this.#url}/${address}`);
  }

  /** Waits until the page has its answers. */
  async settled(): Promise<void> {
    await this.page.waitForSelector("main h1");
    await this.page.waitForSelector("main [aria-busy=true]", { hidden: true });
  }

  /** The text of the page, or of a part of it. */
  text(selector = "main"): Promise<string> {
    return this.page.$eval(
      selector,
      (element) => (element as unknown as { innerText: string }).innerText,
    );
  }

  /** Waits until the page shows a text. */
  shows(pattern: RegExp, selector?: string): Promise<string> {
    return eventually(
      () => this.text(selector).catch(() => ""),
      (text) => pattern.test(text),
    );
  }

  /**
   * Presses a button or follows a link, by its visible text, once nothing covers it: a dialog that closes does so for a moment,
   * and would get the click.
   */
  async press(label: string): Promise<void> {
    await this.page
      .locator(
        `::-p-xpath(//*[self::button or self::a or self::summary][normalize-space()="${label}"])`,
      )
      .filter((element) => {
        // The page runs this in the browser.
        const target = element as unknown as Target;
        target.scrollIntoView({ block: "nearest", inline: "nearest" });
        const { left, top, width, height } = target.getBoundingClientRect();
        const hit = target.ownerDocument.elementFromPoint(left + width / 2, top + height / 2);
        return hit !== null && target.contains(hit);
      })
      .click();
  }

  /**
   * Replaces the text of the field with a label, in the dialog if one is open, as a user does who selects it and pastes.
   * Puppeteer's own `fill` clears a field without an event: if React renders the field before the first key, the old text
   * is back, and the new one follows it. Until a dialog is open, the page may have something else of that name, such as
   * the head of a column.
   */
  async fill(label: string, value: string): Promise<void> {
    const field = await this.page
      .locator(`::-p-aria([name="${label}"])`)
      .filter((element) =>
        (element as unknown as { matches(selector: string): boolean }).matches(
          ":is(input, textarea):enabled",
        ),
      )
      .waitHandle();
    await field.evaluate((element) => {
      const input = element as unknown as { focus(): void; select(): void };
      input.focus();
      input.select();
    });
    if (value === "") await this.page.keyboard.press("Delete");
    else await this.page.keyboard.sendCharacter(value);
  }

  /** Chooses an option of a field, once the page has that. */
  async select(selector: string, value: string): Promise<void> {
    await this.page.waitForSelector(selector);
    await this.page.select(selector, value);
  }

  async count(selector: string): Promise<number> {
    return this.page.$$eval(selector, (elements) => elements.length);
  }
}
