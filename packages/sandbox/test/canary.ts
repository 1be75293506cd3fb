import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a program must not reach: a file, a variable of the environment and a socket of this host, all with a secret. */
export class Canary {
  readonly secret: string = `canary-${Math.random().toString(36).slice(2)}-${process.pid}`;
  readonly folder: string = mkdtempSync(join(tmpdir(), "toolglot-canary-"));
  readonly file: string = join(this.folder, "canary.txt");
  /** What a program would write to show that it can. */
  readonly mark: string = join(this.folder, "mark");
  /** How many have connected to the socket. */
  connections = 0;
  port = 0;
  readonly #server: Server = createServer((socket) => {
    this.connections++;
    // Whoever it is may hang up at any time.
    socket.on("error", () => {});
    socket.end(this.secret);
  });

  async open(): Promise<void> {
    writeFileSync(this.file, this.secret);
    process.env.TOOLGLOT_CANARY = this.secret;
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    this.port = typeof address === "object" && address ? address.port : 0;
  }

  close(): void {
    this.#server.close();
    delete process.env.TOOLGLOT_CANARY;
    rmSync(this.folder, { recursive: true });
  }

  /** The text of an attempt, with what `{FILE}` and its like stand for; `more` adds others. */
  fill(code: string, more: Readonly<Record<string, string>> = {}): string {
    const { file: FILE, mark: MARK, folder: DIR } = this;
    const places: Record<string, string> = { FILE, MARK, DIR, PORT: `${this.port}`, PID: `${process.pid}`, ...more };
    return code.replace(/\{([A-Z]+)\}/g, (written, name: string) => places[name] ?? written);
  }
}
