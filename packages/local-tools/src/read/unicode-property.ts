/** Returns a property of Unicode by any of its names, as JavaScript writes it: scripts without `Script=`, letter case and blanks aside. */
export function propertySource(text: string, isNegated: boolean): string {
  const [, hat, key, sign, value = ""] = /^\s*(\^?)\s*(?:([^=:!]*?)\s*(!?=|:))?\s*(.*?)\s*$/s.exec(text) ?? [];
  const negated = (isNegated !== (hat === "^")) !== (sign === "!=");
  const words = value.replace(/^is[ _-]?(?=.)/i, "").split(/[\s_-]+/);
  const title = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase()).join("_");
  const names = [value, title, title.toUpperCase(), value.toLowerCase()];
  const keys = {
    undefined: ["", "Script="],
    sc: ["Script="],
    script: ["Script="],
    scx: ["Script_Extensions="],
    scriptextensions: ["Script_Extensions="],
    gc: ["General_Category="],
    generalcategory: ["General_Category="],
  }[`${key?.replace(/[\s_-]/g, "").toLowerCase()}`];
  for (const prefix of keys ?? []) {
    for (const name of names) {
      const source = `\\${negated ? "P" : "p"}{${prefix}${name}}`;
      if (/^\w+$/.test(name) && compiles(source)) return source;
    }
  }
  throw new SyntaxError(`\\p{${text}} is no property`);
}

function compiles(source: string): boolean {
  try {
    return new RegExp(source, "u").source !== "";
  } catch {
    return false;
  }
}
