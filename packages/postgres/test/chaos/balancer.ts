import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** One address for a database that moves. */
export interface Balancer {
  port: number;
  /** From now on connections go there; those that are open end. */
  to(port: number): void;
  close(): Promise<void>;
}

/** Passes connections on to a port of this machine. */
export async function balancer(first: number): Promise<Balancer> {
  let target = first;
  const open = new Set<Socket>();
  const end = (): void => {
    for (const socket of open) socket.destroy();
  };
  const server = createServer((socket) => {
    const behind = connect(target, "127.0.0.1");
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    to(port) {
      target = port;
      end();
    },
    async close() {
      server.close();
      end();
    },
  };
}
