/** A program that a test runs: its output line by line, and how it ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export class Child {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly #lines: string[] = [];
  stderr = "";
  #wake: () => void = () => {};
  #isOver = false;

  /**
   * @param url the compiled program: `new URL("./name.child.mjs", import.meta.url)`
   * @param args its arguments, or how many descriptors it may have
   */
  constructor(url: URL, ...args: string[] | [{ descriptors: number }]) {
    const node = [process.execPath, "--enable-source-maps", fileURLToPath(url)];
    const [limits] = args;
    const command =
      typeof limits === "object"
        ? ["sh", "-c", `ulimit -n ${limits.descriptors}; exec "$0" "$@"`, ...node]
        : [...node, ...(args as string[])];
    const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "pipe"] });
    this.process = child;
    // A test that failed half-way leaves nobody behind.
    const end = (): void => {
      child.kill("SIGKILL");
    };
    process.on("exit", end);
    child.on("close", () => process.off("exit", end));
    let rest = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() as string;
      this.#lines.push(...lines);
      this.#wake();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((fulfil) => {
      child.on("close", (code, signal) => {
        this.#isOver = true;
        this.#wake();
        fulfil({ code, signal });
      });
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The next line that it prints. @throws when it ends without one */
  async line(): Promise<string> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) return line;
      if (this.#isOver) throw new Error(`the child said nothing more\n${this.stderr}`);
      await new Promise<void>((fulfil) => {
        this.#wake = fulfil;
      });
    }
  }

  /** Sends it a line. */
  say(text: string): void {
    this.process.stdin?.write(`${text}\n`);
  }

  async kill(): Promise<Ended> {
    this.process.kill("SIGKILL");
    return this.ended;
  }
}
