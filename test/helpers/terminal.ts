/** A command as a user runs it in a terminal: with its environment, and together with all that it starts. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "./eventually.ts";
import { programEnvironment } from "./program-environment.ts";

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The environment of a user: without the settings of the tests. npm looks into its cache first. */
export const userEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(programEnvironment()).filter(
      ([name]) => !/^(vitest|node_env$|QUEUE_|DATABASE_)/i.test(name),
    ),
  ),
  npm_config_prefer_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
});

/** A command that runs in a separate terminal. */
export class Terminal {
  output = "";
  /** The exit code; null if a signal ended it. */
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;

  constructor(command: string, { cwd, env }: TerminalOptions) {
    this.#child = spawn("bash", ["-c", command], {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { stdout, stderr } = this.#child;
    for (const stream of [stdout, stderr]) {
      stream?.on("data", (text: Buffer) => {
        this.output += text.toString();
      });
    }
    this.ended = once(this.#child, "close").then(() => this.#child.exitCode);
  }

  /** Waits until the output matches, and returns the group of the pattern, or what matches. */
  async shows(pattern: RegExp): Promise<string> {
    await eventually(
      () => this.output,
      (output) => pattern.test(output) || this.#hasEnded(),
      { withinMs: 90_000 },
    );
    const found = pattern.exec(this.output);
    if (found === null) throw new Error(`It ended without ${String(pattern)}:\n${this.output}`);
    return found[1] ?? found[0];
  }

  /** SIGKILL to everything that the command has started. */
  async kill(): Promise<void> {
    this.#signal("SIGKILL");
    await this.ended;
  }

  /** Ctrl-C. */
  async interrupt(): Promise<void> {
    this.#signal("SIGINT");
    await this.ended;
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid !== undefined && !this.#hasEnded()) process.kill(-pid, signal);
  }

  #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}

/** Runs a command to its end, and returns its output. @throws Error with the output, unless the exit code is 0. */
export async function runCommand(command: string, options: TerminalOptions): Promise<string> {
  const terminal = new Terminal(command, options);
  const code = await terminal.ended;
  if (code === 0) return terminal.output;
  throw new Error(`\`${command}\` ended with ${code}:\n${terminal.output}`);
}
