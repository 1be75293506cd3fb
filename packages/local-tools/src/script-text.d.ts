/** A program as a text, bundled with all that it imports: see tsup.base.ts. */
declare module "*?script" {
  const text: string;
  export default text;
}
