/** What XML 1.0 can't hold: control characters, lone surrogates, U+FFFE and U+FFFF. */
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Returns text less what XML can't hold. */
export function legal(text: string): string {
  return text.replace(forbidden, "\ufffd");
}

/** Returns text as CDATA, exact but for what XML can't hold; a `]]>` inside is split over two sections. */
export function cdata(text: string): string {
  return `<![CDATA[${legal(text).replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Writes ` name="value"` for each value that is there. */
export function attributes(values: Record<string, string | number | boolean | undefined>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? "" : ` ${name}="${escapeAttribute(String(value))}"`))
    .join("");
}

/** Returns text without marks of XML. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => escapes[character] as string);
}

/** Escapes an attribute. Line breaks and tabs become references: as themselves they would be read as spaces. */
export function escapeAttribute(text: string): string {
  return escapeXml(text).replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
