const brand = Symbol.for("toolglot.error");

/** Facts an error carries for programs. */
export interface ToolglotErrorOptions {
  cause?: unknown;
  /** What is needed to act on the code; each code documents its fields. */
  data?: Record<string, unknown>;
}

/**
 * A runtime fault of toolglot. `code` is stable; `message` is for people. Recognise one with
 * {@link ToolglotError.isInstance}, which also works across copies of this package. A caller's mistake is a
 * `TypeError` instead, and what a model writes is never an error but a diagnostic.
 */
export class ToolglotError extends Error {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, options: ToolglotErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ToolglotError";
    this.code = code;
    this.data = options.data ?? {};
    Object.defineProperty(this, brand, { value: true });
  }

  /** True for every toolglot error, whichever copy of the package made it. */
  static isInstance(value: unknown): value is ToolglotError {
    return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[brand] === true;
  }
}

const toolErrorBrand = Symbol.for("toolglot.tool-error");

/**
 * Thrown by a tool for the model: its message reaches the model word for word. Any other error a tool
 * throws is sanitised first.
 *
 * `data.needs` is set when the tool did nothing, because this very call needs somebody first: `approval`, the host's answer, with
 * which the call is made again ({@link ToolContext.decision}); `later`, a decision that is made elsewhere, after which the same
 * call can be made again. The message names what is waited for. Programs of `@toolglot/sandbox` ask, or are parked; elsewhere it
 * is an error like any other.
 */
export class ToolError extends ToolglotError {
  constructor(message: string, options: ToolglotErrorOptions = {}) {
    super("tool-error", message, options);
    this.name = "ToolError";
    Object.defineProperty(this, toolErrorBrand, { value: true });
  }

  static override isInstance(value: unknown): value is ToolError {
    return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[toolErrorBrand] === true;
  }
}
