/** An object's members without those that are `undefined`. */
export type Defined<Members> = {
  [Key in keyof Members as undefined extends Members[Key] ? never : Key]: Members[Key];
} & { [Key in keyof Members as undefined extends Members[Key] ? Key : never]?: Exclude<Members[Key], undefined> };

/** The members that are not `undefined`: `{ ...result, ...defined({ data, error }) }`. */
export function defined<Members extends object>(members: Members): Defined<Members> {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(members)) {
    const value = (members as Record<string, unknown>)[key];
    if (value !== undefined) kept[key] = value;
  }
  return kept as Defined<Members>;
}
