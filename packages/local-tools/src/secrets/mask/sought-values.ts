import { Form, FormIndex, type Sought } from "./form-index.ts";
import { type Alphabet, formsOf, shortestForm } from "./forms.ts";

/** Whether a value is long enough to be looked for. */
export function isMaskable(value: string): boolean {
  return value.length >= shortestForm;
}

/** All values that are looked for, in all their forms. Streams that are under way look for a new one from its adding on. */
export class SoughtValues {
  readonly indexes: Readonly<Record<Alphabet, FormIndex>> = {
    text: new FormIndex(8),
    base64: new FormIndex(6),
    hex: new FormIndex(4),
  };
  readonly #values = new Map<string, Sought & { readonly names: Set<string> }>();

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** Looks for a value under a name, if it is long enough. */
  add(name: string, value: string): void {
    if (!isMaskable(value)) return;
    const known = this.#values.get(value);
    if (known !== undefined) {
      known.names.add(name);
      return;
    }
    const sought = { names: new Set([name]) };
    this.#values.set(value, sought);
    this.#index(value, sought);
  }

  /** Looks for a value under that name no more. */
  remove(name: string, value: string): void {
    const known = this.#values.get(value);
    if (known === undefined || !known.names.delete(name) || known.names.size > 0) return;
    this.#values.delete(value);
    for (const index of Object.values(this.indexes)) index.clear();
    for (const [other, sought] of this.#values) this.#index(other, sought);
  }

  clear(): void {
    this.#values.clear();
    for (const index of Object.values(this.indexes)) index.clear();
  }

  /** The names whose value, as it is, stands in a text. */
  namesIn(text: string): string[] {
    const names = new Set<string>();
    for (const [value, sought] of this.#values)
      if (text.includes(value)) for (const name of sought.names) names.add(name);
    return [...names].sort();
  }

  #index(value: string, sought: Sought): void {
    for (const form of formsOf(value)) this.indexes[form.alphabet].add(new Form(form, sought));
  }
}
