/** The value of a label when it already has as many values as it may have. */
const otherValue = "other";

/** Keeps the first `most` different values; every later new value becomes `other`. So a label never has many values. */
export function bounded(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= most) return otherValue;
    known.add(value);
    return value;
  };
}
