import type { JsonValue } from "@toolglot/core";
import { atPointer, canonicalJson } from "@toolglot/internal";

const gap = /\{([^{}]+)\}/g;

/**
 * Fills the gaps of a template from the arguments of a call: `refund:{id}`. A gap holds a JSON pointer, or the last names of one, such
 * as `order/id`. Texts go in as they are, other values as JSON. Undefined when an argument is missing, or when the last names fit several.
 */
export function fillTemplate(template: string, args: JsonValue): string | undefined {
  let isWhole = true;
  const text = template.replace(gap, (_, name: string) => {
    const value = name.startsWith("/") ? atPointer(args, name) : byLastNames(args, name);
    if (value === undefined || value === null) isWhole = false;
    return typeof value === "string" ? value : canonicalJson(value ?? null);
  });
  return isWhole ? text : undefined;
}

/** Fills all texts in a value. */
export function fillValue(value: JsonValue, args: JsonValue): JsonValue | undefined {
  if (typeof value === "string") {
    // A gap alone stands for the value itself, so that a number stays one.
    const alone = /^\{([^{}]+)\}$/.exec(value)?.[1];
    if (alone === undefined) return fillTemplate(value, args);
    return (alone.startsWith("/") ? atPointer(args, alone) : byLastNames(args, alone)) as JsonValue | undefined;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => fillValue(item, args));
    return items.includes(undefined) ? undefined : (items as JsonValue[]);
  }
  const members = Object.entries(value).map(([key, member]) => [key, fillValue(member, args)] as const);
  return members.some(([, member]) => member === undefined)
    ? undefined
    : (Object.fromEntries(members) as Record<string, JsonValue>);
}

function byLastNames(args: JsonValue, names: string): unknown {
  const atTop = atPointer(args, `/${names}`);
  if (atTop !== undefined) return atTop;
  const found: unknown[] = [];
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || depth > 64 || found.length > 1) return;
    for (const inner of Object.values(value)) {
      const at = typeof inner === "object" && inner !== null ? atPointer(inner, `/${names}`) : undefined;
      if (at !== undefined) found.push(at);
      look(inner, depth + 1);
    }
  };
  look(args, 0);
  return found.length === 1 ? found[0] : undefined;
}
