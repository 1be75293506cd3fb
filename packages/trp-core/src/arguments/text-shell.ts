/**
 * Returns what a shell would take for more than one plain word or words: separators, substitutions, redirections, quotes, globs,
 * line breaks, and a dash in front, which would be an option. Undefined for text without them.
 */
export function shellProblem(text: string): string | undefined {
  const found = /[;&|`$<>(){}[\]*?!#~'"\\\n\r^]/.exec(text);
  if (found !== null) {
    const [character] = found;
    return `has ${/[\n\r]/.test(character) ? "a line break" : `the character ${character}`}, which a shell would act on`;
  }
  return /^\s*-/.test(text) ? "begins with a dash, and would be taken as an option" : undefined;
}
