/** What a router gets with a frame. The sender's signal is passed on without being read, because it is only made when it is read. */
export class SenderContext<Principal> {
  readonly principal: Principal;
  readonly #sender: { readonly signal: AbortSignal };

  constructor(principal: Principal, sender: { readonly signal: AbortSignal }) {
    this.principal = principal;
    this.#sender = sender;
  }

  get signal(): AbortSignal {
    return this.#sender.signal;
  }
}
