/** Names of values that the user gave and that stand in a text. */
export type NamesIn = (text: string) => readonly string[];

/** The names of known values in what files held; undefined when there are none. */
export function valuesIn(contents: readonly (Uint8Array | null)[], namesIn: NamesIn | undefined): string[] | undefined {
  if (namesIn === undefined) return undefined;
  const names = new Set(contents.flatMap((bytes) => (bytes === null ? [] : namesIn(textOf(bytes)))));
  return names.size === 0 ? undefined : [...names].sort();
}

/** The bytes of a file as the text in which a value would stand. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
