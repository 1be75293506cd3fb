/** Context that a router gets with a frame. The sender's signal is passed on without being read, because reading it makes it. */
export class SenderContext<Principal, Partial = never, Trace = never> {
  readonly principal: Principal;
  /** Gets partial results, when the sender listens. */
  readonly onPartial: ((frame: Partial) => void) | undefined;
  /** The trace that the frame belongs to. */
  readonly trace: Trace | undefined;
  readonly #sender: { readonly signal: AbortSignal };

  constructor(
    principal: Principal,
    sender: { readonly signal: AbortSignal; readonly trace?: Trace | undefined },
    onPartial?: (frame: Partial) => void,
  ) {
    this.principal = principal;
    this.#sender = sender;
    this.onPartial = onPartial;
    this.trace = sender.trace;
  }

  get signal(): AbortSignal {
    return this.#sender.signal;
  }
}
