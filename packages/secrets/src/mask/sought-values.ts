import { Form, FormIndex, type Sought } from "./form-index.ts";
import { type Alphabet, type FormText, formsOf, minFormLength } from "./forms.ts";
import { Fragments } from "./fragments.ts";

/** Checks whether a value is long enough to be looked for. */
export function isMaskable(value: string): boolean {
  return value.length >= minFormLength;
}

/** All values that are looked for, in all their forms. Streams that are under way look for a new one from its adding on. */
export class SoughtValues {
  readonly indexes: Readonly<Record<Alphabet, FormIndex>> = {
    text: new FormIndex(8),
    base64: new FormIndex(6),
    hex: new FormIndex(4),
  };
  readonly #values = new Map<string, { names: Set<string>; forms: readonly [Alphabet, Form][] }>();
  #fragments: Fragments | undefined;

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** Pieces of the forms, for texts that were cut. Made when it is first asked for: few texts are. */
  get fragments(): Fragments {
    this.#fragments ??= new Fragments(
      [...this.#values.values()].flatMap(({ names, forms }) => {
        const [name = ""] = [...names].sort();
        return forms.map(([alphabet, { digits }]) => ({ alphabet, digits, name }));
      }),
    );
    return this.#fragments;
  }

  /** Looks for a value under a name, if it is long enough; `only`: for these texts and no other form. */
  add(name: string, value: string, only?: readonly string[]): void {
    if (!isMaskable(value)) return;
    this.#fragments = undefined;
    const known = this.#values.get(value);
    if (known !== undefined) {
      known.names.add(name);
      return;
    }
    const names = new Set([name]);
    const sought: Sought = { names };
    const texts = only?.map((digits): FormText => ({ alphabet: "text", digits, lead: false, trail: false }));
    const forms = (texts ?? formsOf(value)).map((form): [Alphabet, Form] => [form.alphabet, new Form(form, sought)]);
    this.#values.set(value, { names, forms });
    this.#index(forms);
  }

  /** Looks for a value under that name no more. */
  remove(name: string, value: string): void {
    const known = this.#values.get(value);
    if (known === undefined || !known.names.delete(name) || known.names.size > 0) return;
    this.#values.delete(value);
    this.#fragments = undefined;
    for (const index of Object.values(this.indexes)) index.clear();
    for (const { forms } of this.#values.values()) this.#index(forms);
  }

  clear(): void {
    this.#values.clear();
    this.#fragments = undefined;
    for (const index of Object.values(this.indexes)) index.clear();
  }

  /** Returns the names whose value, as it is, stands in a text. */
  namesIn(text: string): string[] {
    const names = new Set<string>();
    for (const [value, { names: own }] of this.#values)
      if (text.includes(value)) for (const name of own) names.add(name);
    return [...names].sort();
  }

  #index(forms: readonly [Alphabet, Form][]): void {
    for (const [alphabet, form] of forms) this.indexes[alphabet].add(form);
  }
}
