/**
 * Parameters without a schema library: names (with `?` when optional) to `type [= default] [- description]`.
 * `{ city: "string - City name", "days?": "integer = 3", unit: '"c" | "f"' }`
 */
export type ArgsShorthand = Readonly<Record<string, string>>;

type Space = " " | "\n" | "\t";
type TrimStart<S extends string> = S extends `${Space}${infer Rest}` ? TrimStart<Rest> : S;

interface Keywords {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  object: Record<string, unknown>;
  null: null;
  any: unknown;
}

/** Each parser returns `[type, rest of the text]`, or `never` when the text is no type. */
type Primary<S extends string> = S extends `(${infer Inner}`
  ? Union<TrimStart<Inner>> extends [infer T, infer Rest extends string]
    ? TrimStart<Rest> extends `)${infer After}`
      ? [T, After]
      : never
    : never
  : S extends `"${infer Literal}"${infer Rest}`
    ? [Literal, Rest]
    : S extends `'${infer Literal}'${infer Rest}`
      ? [Literal, Rest]
      : {
          [Word in keyof Keywords]: S extends `${Word}${infer Rest}` ? [Keywords[Word], Rest] : never;
        }[keyof Keywords];

type Arrays<T, S extends string> = TrimStart<S> extends `[]${infer Rest}` ? Arrays<T[], Rest> : [T, TrimStart<S>];

type Member<S extends string> = Primary<S> extends [infer T, infer Rest extends string] ? Arrays<T, Rest> : never;

type Union<S extends string> =
  Member<S> extends [infer T, infer Rest extends string]
    ? Rest extends `|${infer More}`
      ? Union<TrimStart<More>> extends [infer Others, infer End extends string]
        ? [T | Others, End]
        : never
      : [T, Rest]
    : never;

type Parsed<Spec extends string> = [Union<TrimStart<Spec>>] extends [[infer T, infer Rest extends string]]
  ? { type: T; hasDefault: Rest extends `=${string}` ? true : false }
  : { type: unknown; hasDefault: false };

type IsOptional<Key, Spec extends string> = Key extends `${string}?`
  ? Parsed<Spec>["hasDefault"] extends true
    ? false
    : true
  : false;

type BareName<Key> = Key extends `${infer Name}?` ? Name : Key;

type Simplify<T> = { [Key in keyof T]: T[Key] };

/** The type of an argument object, after defaults: `{ city: string; days: number; unit: "c" | "f" }`. */
export type InferArgs<Args extends ArgsShorthand> = Simplify<
  {
    -readonly [Key in keyof Args as IsOptional<Key, Args[Key]> extends true ? never : BareName<Key>]: Parsed<
      Args[Key]
    >["type"];
  } & {
    -readonly [Key in keyof Args as IsOptional<Key, Args[Key]> extends true ? BareName<Key> : never]?: Parsed<
      Args[Key]
    >["type"];
  }
>;

/** Whether a text is a specification; the default and the description are free. */
type IsSpec<Spec extends string> = string extends Spec
  ? true
  : [Union<TrimStart<Spec>>] extends [[unknown, "" | `=${string}` | `-${string}`]]
    ? [Union<TrimStart<Spec>>] extends [never]
      ? false
      : true
    : false;

/**
 * A shorthand itself, where every specification in it can be read; in place of one that can't be stands what is wrong. As a
 * parameter's type it makes the compiler infer the literals of `Args`, and show the word.
 */
export type CheckedArgs<Args extends ArgsShorthand> = {
  readonly [Key in keyof Args]: IsSpec<Args[Key]> extends true ? Args[Key] : { "no type is written so": Args[Key] };
};
