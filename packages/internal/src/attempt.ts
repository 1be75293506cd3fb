/** Returns the code of a system call's failure; undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | undefined)?.code;
}

/** Returns what a call returns; undefined when it throws, whatever it throws. */
export function attempt<Value>(call: () => Value): Value | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

/** Returns a handler for `catch`: a system call's failure with one of these codes becomes undefined, any other error is rethrown. */
export function ignoring(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(codeOf(error) ?? "")) throw error;
  };
}

/** Returns what a call returns; undefined when the system refuses it with one of these codes. Any other error is rethrown. */
export function allowing<Value>(codes: readonly string[], call: () => Value): Value | undefined {
  try {
    return call();
  } catch (error) {
    return ignoring(...codes)(error);
  }
}
