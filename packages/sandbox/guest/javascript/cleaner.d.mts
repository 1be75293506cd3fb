/** JSON text of a value. Throws {@link TooLarge}, {@link Unfit}, and what a getter or `toJSON` throws. `notes` gets what came out changed. */
export declare function clean(
  value: unknown,
  maxLength: number,
  to: "result" | "arguments" | "answer",
  notes: { path: string; from: string; to: string }[],
): string;
export declare class TooLarge extends Error {}
export declare class Unfit extends Error {
  readonly path: string;
}
