import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** What a wire does to the bytes that it carries, from now on. */
export interface Faults {
  /** Bytes of each piece that it hands on. */
  pieces?: number;
  /** Breaks the connection once, after so many bytes in a direction: `up` to the router, `down` from it. */
  cut?: { way: "up" | "down"; after: number } | undefined;
}

/** A wire before a port, which can be cut at any byte. */
export interface Wire {
  readonly port: number;
  /** Where connections go that are opened from now on. */
  target: number;
  faults: Faults;
  /** How many bytes went through. */
  readonly carried: { up: number; down: number };
  cutAll(): void;
  close(): Promise<void>;
}

export async function wireTo(target: number): Promise<Wire> {
  const open = new Set<Socket>();
  const wire = { port: 0, target, faults: {} as Faults, carried: { up: 0, down: 0 } };
  const server: Server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: wire.target, host: "127.0.0.1", allowHalfOpen: true });
    const both = [near, far];
    const cut = (): void => {
      for (const socket of both) socket.destroy();
    };
    for (const socket of both) {
      socket.setNoDelay(true);
      open.add(socket);
      socket.on("error", cut);
      socket.once("close", () => {
        open.delete(socket);
        cut();
      });
    }
    carry(near, far, "up", cut);
    carry(far, near, "down", cut);
  });
  function carry(from: Socket, to: Socket, way: "up" | "down", cut: () => void): void {
    from.on("end", () => to.end());
    from.on("data", (chunk: Buffer) => {
      const { cut: planned, pieces = chunk.length } = wire.faults;
      let bytes = chunk;
      let ends = false;
      if (planned?.way === way && planned.after < chunk.length) {
        bytes = chunk.subarray(0, planned.after);
        wire.faults.cut = undefined;
        ends = true;
      } else if (planned?.way === way) planned.after -= chunk.length;
      wire.carried[way] += bytes.length;
      for (let at = 0; at < bytes.length; at += pieces) to.write(bytes.subarray(at, at + pieces));
      if (ends) to.end(cut);
    });
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  wire.port = (server.address() as AddressInfo).port;
  return Object.assign(wire, {
    cutAll() {
      for (const socket of open) socket.destroy();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      // What both ends have closed closes by itself, when all is carried.
      const timer = setTimeout(() => open.forEach((socket) => void socket.destroy()), 200);
      await closed;
      clearTimeout(timer);
    },
  });
}
