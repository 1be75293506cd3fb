import { SenderContext } from "@toolglot/internal";
import type { Principal, Router } from "@toolglot/trp-core";
import { clientError } from "./errors.ts";
import type { Transport } from "./transport-types.ts";

/**
 * Hands frames to a router in the same process, in the name of `principal`. Frames and answers are passed as they are:
 * change neither arguments nor results.
 *
 * @example
 * ```ts
 * const transport = inProcessTransport(router, principal({ id: "agent-7" }));
 * const client = createClient({ transport, agentId: "agent-7" });
 * ```
 */
export function inProcessTransport(router: Pick<Router, "handle">, principal: Principal): Transport {
  if (typeof router?.handle !== "function") throw new TypeError("router must have handle(frame, context)");
  let isClosed = false;
  return {
    send: (frame, sending) => {
      if (isClosed) return Promise.reject(clientError("trp-client/unreachable", "The transport was closed."));
      return router.handle(frame, new SenderContext(principal, sending, sending.onPartial));
    },
    close: () => {
      isClosed = true;
    },
  };
}
