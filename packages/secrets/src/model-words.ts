const maxCharacters = 300;

/**
 * Returns a model's words as a person may read them: one line of 300 characters at most, without controls and without characters that can't
 * be seen or change how others look (bidi, zero width).
 */
export function modelWords(text: string): string {
  const plain = text
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, "")
    .trim();
  const characters = [...plain];
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join("")}…` : plain;
}
