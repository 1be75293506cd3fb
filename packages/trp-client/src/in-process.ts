import type { Principal, Router } from "@toolglot/trp-core";
import { clientError } from "./errors.ts";
import type { Transport } from "./types.ts";

/**
 * Hands frames to a router in the same process, in the name of `principal`. Frames and answers are passed as they are:
 * change neither arguments nor results.
 */
export function inProcessTransport(router: Pick<Router, "handle">, principal: Principal): Transport {
  if (typeof router?.handle !== "function") throw new TypeError("router must have handle(frame, context)");
  let isClosed = false;
  return {
    send: (frame, sending) => {
      if (isClosed) return Promise.reject(clientError("trp-client/unreachable", "The transport was closed."));
      return router.handle(frame, new Context(principal, sending));
    },
    close: () => {
      isClosed = true;
    },
  };
}

/** Passes the signal on without reading it, because it is only made when it is read. */
class Context {
  readonly principal: Principal;
  readonly #sending: { readonly signal: AbortSignal };

  constructor(principal: Principal, sending: { readonly signal: AbortSignal }) {
    this.principal = principal;
    this.#sending = sending;
  }

  get signal(): AbortSignal {
    return this.#sending.signal;
  }
}
