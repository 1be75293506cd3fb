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
const mostFormer = 16;

/** The values that this process knows: those of now by name, and the former ones, which stay masked. */
export class HeldValues {
  readonly sought: SoughtValues = new SoughtValues();
  readonly #current = new Map<string, HeldValue>();
  /** All values that a name has had, the newest last. */
  readonly #all = new Map<string, string[]>();

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
    while (all.length > mostFormer + 1) this.sought.remove(name, all.shift() as string);
    this.#all.set(name, all);
  }

  remove(name: string): boolean {
    return this.#current.delete(name);
  }

  clear(): void {
    this.#current.clear();
    this.#all.clear();
    this.sought.clear();
  }
}
