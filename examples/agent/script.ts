/** Prints what happens, a line each, and between the lines the words of the assistant as they arrive. */
import { getToolName, isToolUIPart, type UIMessage } from "ai";
import { type Colour, paint, say, seconds } from "../demo/terminal.ts";

const WHO_WIDTH = 8;
const INDENT = "              ";
const WIDTH = 100;

export class Script {
  readonly #startedAt = Date.now();
  /** Text of each part of the message, or the state of its tool, as shown. */
  #shown: string[] = [];
  #column = 0;

  /** The number of words of the assistant that are shown; dropped words no longer count. */
  get words(): number {
    return this.#shown.join(" ").split(" ").length;
  }

  tell(who: string, colour: Colour, text: string): void {
    this.end();
    const time = seconds(Date.now() - this.#startedAt).padStart(6);
    say(`${paint("dim", `${time} s`)}  ${paint(colour, who.padEnd(WHO_WIDTH))}  ${text}`);
  }

  /** Prints what the message has more than before. If it has less, its last call of the model was repeated. */
  show({ parts }: UIMessage): void {
    if (parts.length < this.#shown.length) {
      this.tell("customer", "blue", "sees the unfinished answer disappear");
      this.#shown = this.#shown.slice(0, parts.length);
    }
    for (const [n, part] of parts.entries()) {
      const before = this.#shown[n] ?? "";
      if (part.type === "text") {
        this.#write(part.text.slice(before.length));
        this.#shown[n] = part.text;
      } else if (isToolUIPart(part)) {
        const state = part.state.startsWith("output") ? "done" : "in progress";
        if (before !== state) {
          this.tell("customer", "blue", `sees ${getToolName(part)}: ${state}`);
        }
        this.#shown[n] = state;
      } else this.#shown[n] = "";
    }
  }

  /** Ends a line of words. */
  end(): void {
    if (this.#column > 0) process.stdout.write("\n");
    this.#column = 0;
  }

  #write(text: string): void {
    for (const word of text.split(/(?<= )/)) {
      if (word === "") continue;
      if (this.#column + word.length > WIDTH) this.end();
      if (this.#column === 0) {
        process.stdout.write(INDENT);
        this.#column = INDENT.length;
      }
      process.stdout.write(paint("cyan", word));
      this.#column += word.length;
    }
  }
}
