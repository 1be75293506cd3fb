/** Returns one step of a JSON pointer (RFC 6901), with its slash; names longer than 64 characters are shortened. */
export function pointerStep(step: string | number): string {
  if (typeof step === "number") return `/${step}`;
  const name = step.length > 64 ? `${step.slice(0, 63)}…` : step;
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
