/** The parts of a name that some file systems don't see. */
const unseen = /[\u200b-\u200f\u202a-\u202e\u2060\u206a-\u206f\ufeff]/g;

/** A path in the form in which tables of file names compare it: without letter case, with `/` between its parts. */
export function comparablePath(shownPath: string): string {
  const path = shownPath.normalize("NFKC").toLowerCase().replace(unseen, "").replaceAll("\\", "/");
  // Windows takes a name with a stream, or with dots and blanks behind it, for the name alone.
  const parts = path.split("/").map((part) => (/^\.+$/.test(part) ? part : part.replace(/:.*$|[. ]+$/g, "")));
  return parts.join("/");
}
