/** Returns the text of a thrown value, for a message. Never throws, whatever was thrown. */
export function errorText(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "an error that can't be read";
  }
}
