/** Values that conditions of a dependency may ask for, by name. */
export type MarkerValues = Readonly<Record<string, string>>;

const token = /\s*(?:(\(|\)|===|[<>=!~]=|[<>])|(["'])(.*?)\2|([A-Za-z_.]+))/y;

type Token = { kind: "sign" | "text" | "word"; text: string };

/**
 * Checks whether a dependency's condition (PEP 508, behind its `;`) holds: `python_version < "3.9" and extra == "test"`. One that can't be
 * read holds: a dependency too many is reported, one too few is found out late.
 */
export function markerHolds(condition: string, values: MarkerValues): boolean {
  const tokens = readTokens(condition);
  if (tokens === undefined) return true;
  let at = 0;
  const take = (text: string): boolean => {
    if (tokens[at]?.text !== text || tokens[at]?.kind === "text") return false;
    at += 1;
    return true;
  };
  const value = (): string | undefined => {
    const found = tokens[at++];
    return found?.kind === "text" ? found.text : values[found?.text ?? ""];
  };
  const comparison = (): boolean => {
    if (take("(")) {
      const held = any();
      take(")");
      return held;
    }
    const left = value();
    const isNegated = take("not");
    const sign = tokens[at++]?.text ?? "";
    const right = value();
    if (left === undefined || right === undefined) return true;
    return sign === "in" ? right.includes(left) !== isNegated : compares(left, sign, right);
  };
  const all = (): boolean => {
    let held = comparison();
    while (take("and")) held = comparison() && held;
    return held;
  };
  const any = (): boolean => {
    let held = all();
    while (take("or")) held = all() || held;
    return held;
  };
  return any();
}

function readTokens(condition: string): Token[] | undefined {
  const found: Token[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < condition.trimEnd().length) {
    const [, sign, , text, word] = token.exec(condition) ?? [];
    if (sign !== undefined) found.push({ kind: "sign", text: sign });
    else if (text !== undefined) found.push({ kind: "text", text });
    else if (word !== undefined) found.push({ kind: "word", text: word });
    else return undefined;
  }
  return found;
}

function compares(left: string, sign: string, right: string): boolean {
  const order = compareVersions(left, right);
  switch (sign) {
    case "==":
    case "===":
      return order === undefined ? left === right : order === 0;
    case "!=":
      return order === undefined ? left !== right : order !== 0;
    case "<":
      return order !== undefined && order < 0;
    case "<=":
      return order !== undefined && order <= 0;
    case ">":
      return order !== undefined && order > 0;
    case ">=":
    case "~=":
      return order !== undefined && order >= 0;
    default:
      return true;
  }
}

/** Undefined when one is no version made of numbers. */
function compareVersions(left: string, right: string): number | undefined {
  const [a, b] = [left, right].map((text) => (/^\d+(\.\d+)*$/.test(text) ? text.split(".").map(Number) : undefined));
  if (a === undefined || b === undefined) return undefined;
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
