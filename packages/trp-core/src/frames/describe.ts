/** How much of what a client sent a message may repeat. */
const quoted = 40;

/** A value in a few words, for messages: `"text"`, `12`, `null`, `an array`. */
export function describe(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value.length <= quoted
        ? JSON.stringify(value)
        : `${JSON.stringify(value.slice(0, quoted))}… (${value.length} characters)`;
    case "number":
    case "boolean":
      return String(value);
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "an array" : "an object";
    case "undefined":
      return "nothing";
    default:
      return `a ${typeof value}`;
  }
}

/** Where something is in a frame: `payload.calls[2].timeout_ms`. Long paths lose their middle. */
export function pathText(path: readonly (string | number)[]): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else if (/^[A-Za-z_$][\w$]{0,39}$/.test(key)) text += text === "" ? key : `.${key}`;
    else text += `[${JSON.stringify(key.length <= quoted ? key : `${key.slice(0, quoted)}…`)}]`;
  }
  return text.length <= 2 * quoted ? text : `${text.slice(0, quoted)}…${text.slice(-quoted)}`;
}
