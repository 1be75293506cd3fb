import { createValueMask, type ValueMask } from "@toolglot/secrets";

/** Hides the secrets of a configuration in everything that the gateway shows: logs, errors, the audit, the page. */
export type SecretMask = ValueMask;

/**
 * Creates the mask of a gateway: each value that was added is replaced by `[secret NAME]`, also where it stands in base64,
 * URL-encoded, or in another form in which programs print values. Values of fewer than six characters are not hidden: they
 * would hide ordinary text.
 */
export function createSecretMask(values: Iterable<readonly [name: string, value: string]> = []): SecretMask {
  const mask = createValueMask({ written: (name) => `[secret ${name}]` });
  for (const [name, value] of values) mask.add(name, value);
  return mask;
}
