import { SoughtValues } from "./mask/sought-values.ts";

/** A value that this process knows. */
export interface HeldValue {
  value: string;
  note?: string | undefined;
  at: number;
  /** Under which scope the store has it, too. */
  keptIn?: string | undefined;
}

/** So many former values of a name stay masked. */
const maxFormer = 16;
/** So many inner names of scripts stay masked: jobs of the shell name them later. */
const maxInner = 200;

/** The values that this process knows: those of now by name, and the former ones, which stay masked. */
export class HeldValues {
  readonly sought: SoughtValues = new SoughtValues();
  readonly #current = new Map<string, HeldValue>();
  /** All values that a name has had, the newest last. */
  readonly #all = new Map<string, string[]>();
  readonly #inner: [name: string, inner: string][] = [];

  get(name: string): HeldValue | undefined {
    return this.#current.get(name);
  }

  entries(): Iterable<[string, HeldValue]> {
    return this.#current.entries();
  }

  set(name: string, held: HeldValue): void {
    this.#current.set(name, held);
    this.sought.add(name, held.value);
    const all = (this.#all.get(name) ?? []).filter((value) => value !== held.value);
    all.push(held.value);
    while (all.length > maxFormer + 1) this.sought.remove(name, all.shift() as string);
    this.#all.set(name, all);
  }

  /** Hides what stands in a script in the place of a placeholder, too. */
  hideInner(inner: string, name: string): void {
    this.#inner.push([name, inner]);
    this.sought.add(name, inner, [`\${${inner}}`, inner]);
    while (this.#inner.length > maxInner) this.sought.remove(...(this.#inner.shift() as [string, string]));
  }

  remove(name: string): boolean {
    return this.#current.delete(name);
  }

  clear(): void {
    this.#current.clear();
    this.#all.clear();
    this.#inner.length = 0;
    this.sought.clear();
  }
}
