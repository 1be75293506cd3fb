/**
 * `JSON.stringify` for values of unknown origin: never throws and always gives JSON. Big integers become decimal text,
 * NaN and infinities null, a value inside itself `"[circular]"`, what throws when it is read `"[unreadable]"`;
 * `undefined` and functions are left out of objects, and null elsewhere. `indent`: spaces per level, default none.
 */
export function toJsonText(value: unknown, indent?: number): string {
  const parents: unknown[] = [];
  function replace(this: unknown, _key: string, item: unknown): unknown {
    if (typeof item === "bigint") return String(item);
    if (typeof item !== "object" || item === null) return item;
    while (parents.length > 0 && parents.at(-1) !== this) parents.pop();
    if (parents.includes(item)) return "[circular]";
    parents.push(item);
    return item;
  }
  try {
    return JSON.stringify(value, replace, indent) ?? "null";
  } catch {
    return '"[unreadable]"';
  }
}
