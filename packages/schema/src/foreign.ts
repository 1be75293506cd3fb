/** Returns what a schema of a library is called, where a JSON Schema was due; undefined for plain data. */
export function libraryOf(given: object): string | undefined {
  const { _def, safeParse, parse, "~standard": standard } = given as Record<string, unknown>;
  if (typeof _def === "object" && (typeof safeParse === "function" || typeof parse === "function") && !standard) {
    return "a schema of an old zod: zod needs version 4.2 or newer, or pass what zod-to-json-schema makes of it";
  }
  if (standard !== undefined) return "a schema of a library";
  const prototype: unknown = Object.getPrototypeOf(given);
  if (prototype === null || Array.isArray(given) || isPlain(prototype)) return undefined;
  const { name } = (prototype as { constructor?: { name?: string } }).constructor ?? {};
  return `an object of the class ${name || "(without a name)"}, and no JSON Schema`;
}

/** Checks whether it is `Object.prototype`, of whichever realm. */
function isPlain(prototype: unknown): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "hasOwnProperty");
}
