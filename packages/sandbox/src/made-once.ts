/** Returns the value of a key, made at the first call for it. */
export function madeOnce<Value>(made: Map<string, Value>, key: string, make: () => Value): Value {
  const value = made.get(key) ?? make();
  made.set(key, value);
  return value;
}
