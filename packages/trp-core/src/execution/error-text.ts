const longest = 4_000;

/** The message of an error that was made for the model: its first 4,000 characters, never empty. */
export function messageOf(error: { message: unknown }): string {
  const { message } = error;
  if (typeof message !== "string" || message.trim() === "") return "it failed, and does not say why";
  return message.length > longest ? `${message.slice(0, longest - 1)}…` : message;
}

/**
 * What may be said of an exception that was not made for the model: its class and its code, when they look like such,
 * never its message. `TypeError`, `Error, ECONNREFUSED`.
 */
export function kindOf(error: unknown): string {
  try {
    if (typeof error !== "object" || error === null) return `a thrown ${error === null ? "null" : typeof error}`;
    const { name, code } = error as { name?: unknown; code?: unknown };
    const kind = typeof name === "string" && /^[A-Z]\w{0,39}$/.test(name) ? name : "Error";
    return typeof code === "string" && /^[A-Z][A-Z0-9_]{1,31}$/.test(code) ? `${kind}, ${code}` : kind;
  } catch {
    return "Error";
  }
}
