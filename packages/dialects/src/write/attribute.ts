/**
 * Returns ` name="value"`. `escapes`: as Kimi's and Cohere's templates do, `&` and `"` are written as entities; else what would end the
 * attribute is refused.
 */
export function attribute(name: string, value: string, escapes: boolean, refuse: (why: string) => never): string {
  if (value === "" || value.trim() !== value) refuse("a name that is empty, or has white space at an edge");
  if (escapes ? /[<>|]/.test(value) : /[<>"\n]/.test(value)) refuse("a name that can't stand in an attribute");
  return ` ${name}="${escapes ? value.replaceAll("&", "&amp;").replaceAll('"', "&quot;") : value}"`;
}
