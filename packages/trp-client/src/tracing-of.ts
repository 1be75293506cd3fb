import type { ClientTracing, TrpClient } from "./types.ts";

const known = new WeakMap<TrpClient, ClientTracing>();

export function noteTracing(client: TrpClient, tracing: ClientTracing): void {
  known.set(client, tracing);
}

/** What runs the calls of a program in the trace of now: a sandbox asks for them from wherever its messages arrive. */
export function captureTrace(client: TrpClient): <Value>(run: () => Value) => Value {
  return known.get(client)?.capture() ?? ((run) => run());
}
