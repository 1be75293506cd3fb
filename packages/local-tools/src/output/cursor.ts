import type { Screen } from "./screen.ts";

/** What a control sequence does to a screen. `count` is its first parameter, at least 1. */
type Action = (screen: Screen, count: number, parameters: readonly number[]) => void;

/** By final character. What is missing here is only taken out. */
const actions: Readonly<Record<string, Action>> = {
  A: (screen, count) => screen.up(count),
  B: (screen, count) => screen.down(count),
  C: (screen, count) => screen.moveBy(count),
  D: (screen, count) => screen.moveBy(-count),
  E: (screen, count) => {
    screen.down(count);
    screen.carriageReturn();
  },
  F: (screen, count) => {
    screen.up(count);
    screen.carriageReturn();
  },
  G: (screen, count) => screen.moveTo(count - 1),
  H: (screen, count, [, column = 1]) => {
    screen.moveToRow(count - 1);
    screen.moveTo(Math.max(column, 1) - 1);
  },
  J: (screen, _count, [part = 0]) => {
    if (part === 0) screen.eraseDown();
    else if (part === 1) screen.eraseLeft();
    else if (part === 2) screen.clear();
  },
  K: (screen, _count, [part = 0]) => {
    if (part === 0) screen.eraseRight();
    else if (part === 1) screen.eraseLeft();
    else if (part === 2) screen.eraseLine();
  },
  P: (screen, count) => screen.remove(count),
  X: (screen, count) => screen.erase(count),
  "@": (screen, count) => screen.insert(count),
  d: (screen, count) => screen.moveToRow(count - 1),
  s: (screen) => screen.save(),
  u: (screen) => screen.restore(),
};
const sameAs: Readonly<Record<string, string>> = { a: "C", e: "B", f: "H", "`": "G" };

/** Carries out `CSI <parameters> <final>` where it moves the cursor or erases. */
export function moveCursor(screen: Screen, parameters: string, final: string): void {
  const action = actions[sameAs[final] ?? final];
  const values = action === undefined ? undefined : parameterValues(parameters);
  if (values !== undefined) action?.(screen, Math.max(1, values[0] ?? 0), values);
}

/** Returns the numbers of a control sequence, 0 for those left out; undefined when it has others than numbers. */
export function parameterValues(parameters: string): number[] | undefined {
  if (!/^[0-9;:]*$/.test(parameters)) return undefined;
  // No screen is larger than that, whatever a program writes.
  return parameters.split(";").map((digits) => Math.min(Number.parseInt(digits, 10) || 0, 65_535));
}
