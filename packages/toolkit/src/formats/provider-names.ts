/** Names as a provider takes them, with the way back. */
export interface ProviderNames {
  /** The provider's name of a tool. */
  toProvider(name: string): string;
  /** The tool that a provider's name stands for; the name itself when it stands for none. */
  fromProvider(name: string): string;
}

/**
 * Returns names that fit a provider's rule: characters it does not take become `_`, a name that must begin with a letter gets `_`
 * before it, what is too long is cut, and what then is taken gets a number. A name that fits stays as it is.
 */
export function providerNames(
  names: readonly string[],
  rule: { forbidden: RegExp; start?: RegExp; maxLength: number },
): ProviderNames {
  const to = new Map<string, string>();
  const from = new Map<string, string>();
  const fits = (name: string): boolean => shorten(name, rule) === name;
  // Names that can stay have the first choice.
  for (const name of [...names.filter(fits), ...names.filter((name) => !fits(name))]) {
    if (to.has(name)) continue;
    const wish = shorten(name, rule);
    let free = wish;
    for (let number = 2; from.has(free); number += 1) {
      const suffix = `_${number}`;
      free = wish.slice(0, rule.maxLength - suffix.length) + suffix;
    }
    to.set(name, free);
    from.set(free, name);
  }
  return { toProvider: (name) => to.get(name) ?? name, fromProvider: (name) => from.get(name) ?? name };
}

function shorten(name: string, { forbidden, start, maxLength }: Parameters<typeof providerNames>[1]): string {
  const plain = name.replace(forbidden, "_");
  return (start && !start.test(plain) ? `_${plain}` : plain || "_").slice(0, maxLength);
}
