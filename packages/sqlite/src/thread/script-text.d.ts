/** A program as a text, bundled with everything that it imports: see bundled-script.ts in the repository's root. */
declare module "*?script" {
  const text: string;
  export default text;
}
