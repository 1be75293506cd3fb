/** An issue as Standard Schema has it. */
interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** One place where a value does not fit: core's `InputIssue`. */
interface Issue {
  path: string;
  expected: string;
  got: string;
  message: string;
}

/** Issues of one value that are reported: more would only flood the model. */
export const maxIssues = 20;

const shownLength = 40;

/** Returns the JSON Schema type of a value: `integer` for whole numbers, `missing` for undefined. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return value === undefined ? "missing" : typeof value;
}

/** Returns a value in a few words: `string "abc"`, `integer 3`, `array of 4 items`, `missing`. */
export function describeValue(value: unknown): string {
  const type = typeOf(value);
  switch (type) {
    case "string": {
      const text = value as string;
      const cut = text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
      return `string ${JSON.stringify(cut)}`;
    }
    case "integer":
    case "number":
    case "bigint":
    case "boolean":
      return `${type} ${String(value)}`;
    case "array": {
      const { length } = value as unknown[];
      return length === 1 ? "array of 1 item" : `array of ${length} items`;
    }
    case "object": {
      const keys = Object.keys(value as object);
      const shown = keys.slice(0, 5).join(", ");
      return keys.length === 0 ? "empty object" : `object with ${shown}${keys.length > 5 ? ", …" : ""}`;
    }
    default:
      return type;
  }
}

/** Joins `items` and `2` to `items[2]`; `items` and `price` to `items.price`. */
export function joinPath(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** Returns a library's issues in our format: path, and expected and got where it has them. */
export function standardIssues(issues: readonly StandardIssue[], value: unknown): Issue[] {
  return issues.slice(0, maxIssues).map((issue) => {
    let path = "";
    let found: unknown = value;
    for (const segment of issue.path ?? []) {
      const raw = typeof segment === "object" ? segment.key : segment;
      const key = typeof raw === "symbol" ? String(raw) : raw;
      path = joinPath(path, key);
      const holder = found as Record<string | number, unknown> | null | undefined;
      found = typeof holder === "object" && holder !== null ? holder[key] : undefined;
    }
    const { expected } = issue as { expected?: unknown };
    return {
      path,
      expected: typeof expected === "string" ? expected : issue.message,
      got: describeValue(found),
      message: `${path === "" ? "the input" : path}: ${issue.message}`,
    };
  });
}
