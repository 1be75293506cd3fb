/** The command line was used wrongly; the message says how to do it right. Ends the command line with exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}
