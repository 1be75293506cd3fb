/** Deeper data from a guest is refused; its own side stops at 200. */
const maxDepth = 256;

/** Drops keys of these names from parsed JSON, at any depth. False when it is nested too deeply to be looked through. */
export function dropKeys(root: object, names: readonly string[]): boolean {
  let level: object[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return false;
    const next: object[] = [];
    for (const node of level) {
      for (const name of names) if (Object.hasOwn(node, name)) Reflect.deleteProperty(node, name);
      for (const child of Object.values(node)) if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return true;
}

const encoder = new TextEncoder();

/** Returns the bytes of the text as UTF-8. */
export function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}
