import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Milliseconds between two checks of all servers. */
const checkMs = 50;

/** A plain balancer of TCP connections. */
export interface Balancer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts a balancer that knows no HTTP: each connection goes to the next server whose `/readyz` says 200, whoever opens it. It is as
 * HAProxy in the mode `tcp` with `option httpchk`.
 */
export async function balance(ports: () => readonly number[]): Promise<Balancer> {
  const ready = new Set<number>();
  const open = new Set<Socket>();
  let turn = 0;
  const check = async (port: number): Promise<void> => {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) ready.add(port);
    else ready.delete(port);
  };
  const checkAll = () => Promise.all(ports().map(check));
  await checkAll();
  const timer = setInterval(checkAll, checkMs);
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const all = ports().filter((port) => ready.has(port));
    const join = (left: number): void => {
      const port = all[turn++ % all.length];
      if (port === undefined || left === 0) return void client.destroy();
      const to = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      // Nobody listens there any more: the next one does.
      to.once("error", () => join(left - 1));
      to.once("connect", () => {
        to.removeAllListeners("error").on("error", () => client.destroy());
        client.pipe(to).pipe(client);
        client.on("close", () => to.destroy());
        to.on("close", () => client.destroy());
      });
    };
    open.add(client);
    client.on("error", () => {}).on("close", () => open.delete(client));
    join(all.length);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      clearInterval(timer);
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
