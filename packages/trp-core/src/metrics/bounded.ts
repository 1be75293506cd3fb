/** Stands for all values beyond those that a label may have. */
const otherValue = "other";

/** Lets the first `most` values pass, for good; every further one becomes `other`, so that a label never has many values. */
export function bounded(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= most) return otherValue;
    known.add(value);
    return value;
  };
}
