const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Returns ` name="value"`. `escapes`: the five entities of XML are written; else what would end the attribute is refused. */
export function attribute(name: string, value: string, escapes: boolean, refuse: (why: string) => never): string {
  if (value === "" || value.trim() !== value) refuse("a name that is empty, or has white space at an edge");
  if (!escapes && /[<>"\n]/.test(value)) refuse("a name that can't stand in an attribute");
  return ` ${name}="${escapes ? value.replace(/[&<>"']/g, (unit) => entities[unit] as string) : value}"`;
}
