/** Cuts a list into parts of at most `size`. */
export function inGroups<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

/** The code as the body of a Python function called `name` that returns what was assigned to `__result__`. */
export function asFunction(name: string, code: string): string {
  const body = code.trimEnd().split("\n").join("\n    ");
  return `def ${name}():\n    __result__ = None\n    ${body}\n    return __result__\n`;
}
