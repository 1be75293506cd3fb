import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { url } from "./stores.ts";

/** A message of a client: its type (`Q`, `P`, `B` …) and its body, whose texts end with NUL. */
export interface Message {
  type: string;
  body: string;
  /** Of a COMMIT: whether anything was written, as far as the transaction has noted it. */
  hasWritten: boolean;
}

/**
 * Where the connection is cut. `before`: the message does not arrive. `after`: it arrives and is done, and its answer does not come
 * back. `late`: the client is cut off, and the message arrives at {@link CuttingProxy.deliver}.
 */
export type Cut = "before" | "after" | "late";

/** Stands between a store and PostgreSQL, and cuts a connection where it is told to. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #armed: { cut: Cut; on: (message: Message) => boolean } | undefined;
  #late: (() => void)[] = [];
  #isDown = false;
  #waiting: (() => void)[] = [];
  /** How many connections were cut. */
  cuts = 0;

  constructor() {
    this.#server = createServer((client) => this.#serve(client));
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = new URL(url);
    address.host = `127.0.0.1:${(this.#server.address() as { port: number }).port}`;
    return address.href;
  }

  /** Cuts the connection of the next such message. */
  cut(cut: Cut, on: (message: Message) => boolean): void {
    this.#armed = { cut, on };
  }

  /** Resolves when a connection was cut. */
  async wasCut(): Promise<void> {
    const before = this.cuts;
    while (this.cuts === before) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** From now on each connection is refused; those that are there are cut. */
  down(): void {
    this.#isDown = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  up(): void {
    this.#isDown = false;
  }

  /** Delivers the messages that were held back. */
  deliver(): void {
    for (const send of this.#late.splice(0)) send();
  }

  async close(): Promise<void> {
    this.down();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(client: Socket): void {
    if (this.#isDown) return void client.destroy();
    const { hostname, port } = new URL(url);
    const server = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one);
      one.on("error", () => one.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        if (!isLate) other.destroy();
      });
    }
    let isLate = false;
    let isMuted = false;
    let hasWritten = false;
    let rest = Buffer.alloc(0);
    let isStarted = false;
    client.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        // The first message has no type.
        const head = isStarted ? 1 : 0;
        if (rest.length < head + 4) return;
        const length = head + rest.readUInt32BE(head);
        if (rest.length < length) return;
        const bytes = rest.subarray(0, length);
        rest = rest.subarray(length);
        const type = isStarted ? String.fromCharCode(bytes[0] as number) : "";
        const body = bytes.toString("utf8", head + 4);
        const message = { type, body, hasWritten };
        if (type === "P") hasWritten = body.includes(".commits (connection");
        isStarted = true;
        if (this.#armed?.on(message) !== true) {
          if (isLate) this.#late.push(() => server.write(bytes));
          else server.write(bytes);
          continue;
        }
        const { cut } = this.#armed;
        this.#armed = undefined;
        if (cut === "before") return this.#end(client, server);
        if (cut === "after") {
          isMuted = true;
          server.write(bytes);
          continue;
        }
        isLate = true;
        this.#late.push(() => server.write(bytes));
        // What belongs to it has come in the same packet.
        setImmediate(() => this.#end(client));
      }
    });
    let answers = Buffer.alloc(0);
    server.on("data", (chunk) => {
      if (!isMuted) return void (client.destroyed || client.write(chunk));
      // Ready for the next query: it is committed.
      answers = Buffer.concat([answers, chunk]);
      if (answers.includes(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]))) this.#end(client, server);
    });
  }

  #end(...sockets: Socket[]): void {
    for (const socket of sockets) socket.destroy();
    this.cuts += 1;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const writes = /^(?:[^\0]*\0WITH t AS[^\0]*(?:INSERT|UPDATE)|(?:[^\0]*)\0(?:enter|step) \d \w+\0)/;

/** The COMMIT of what has written, or a statement that is a transaction of its own and writes. */
export function commits({ type, body, hasWritten }: Message): boolean {
  return (
    (type === "Q" && hasWritten && body.startsWith("COMMIT")) || ((type === "P" || type === "B") && writes.test(body))
  );
}
