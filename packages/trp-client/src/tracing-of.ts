import type { ClientTracing } from "./transport-types.ts";
import type { TrpClient } from "./types.ts";

const known = new WeakMap<TrpClient, ClientTracing>();

export function noteTracing(client: TrpClient, tracing: ClientTracing): void {
  known.set(client, tracing);
}

/**
 * Captures the present trace. The returned function runs the calls of a program in this trace, because the messages of
 * a sandbox arrive outside of it.
 */
export function captureTrace(client: TrpClient): <Value>(run: () => Value) => Value {
  return known.get(client)?.capture() ?? ((run) => run());
}
