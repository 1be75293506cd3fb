/** Arguments of a native call: parsed when they came as JSON text, or what is wrong with them. */
export type ArgumentsReading = { input: unknown } | { fault: string };

/**
 * Providers hand over arguments as an object, or as the JSON text the model wrote. Empty text is a call without
 * arguments. Text that isn't JSON is a fault for the model to correct: guessing could change what is done.
 */
export function readArguments(input: unknown): ArgumentsReading {
  if (typeof input !== "string") return { input };
  if (input.trim() === "") return { input: {} };
  try {
    return { input: JSON.parse(input) as unknown };
  } catch (error) {
    // Engines quote the text in their message; only the position is of use.
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    return { fault: position === undefined ? "it ends too early" : `at character ${position}` };
  }
}
