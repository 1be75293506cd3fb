/** Where both engines differ from the official suite: `file > group > test`, or `file > group` for all of its tests. */
export interface KnownDifference {
  reason: string;
  tests: string[];
}

/** Schemas that are refused when they are defined. */
export const refused: KnownDifference[] = [
  {
    reason: "references lead only into the same schema: nothing is fetched, and no meta-schema is built in",
    tests: [
      "draft2020-12/defs.json > validate definition against metaschema",
      "draft2020-12/ref.json > remote ref, containing refs itself",
      "draft7/definitions.json > validate definition against metaschema",
      "draft7/ref.json > remote ref, containing refs itself",
    ],
  },
  {
    reason: "$dynamicRef is not supported",
    tests: [
      "draft2020-12/unevaluatedItems.json > unevaluatedItems with $dynamicRef",
      "draft2020-12/unevaluatedProperties.json > unevaluatedProperties with $dynamicRef",
    ],
  },
];

const hostnames = "draft2020-12/format/hostname.json > validation of A-label (punycode) host names";
const uris = "draft2020-12/format/uri.json > validation of URIs";
const uriReferences = "draft2020-12/format/uri-reference.json > validation of URI References";

/** Values whose verdict is wrong. */
export const wrong: KnownDifference[] = [
  {
    reason: "the engine resolves an $id beside an $anchor against the wrong base",
    tests: [
      "draft2020-12/ref.json > order of evaluation: $id and $anchor and $ref > data is valid against first definition",
    ],
  },
  {
    reason: "hostname checks letters and lengths, it doesn't decode punycode",
    tests: [
      "invalid Punycode",
      "contains illegal char U+302E Hangul single dot tone mark",
      "Begins with a Spacing Combining Mark",
      "Begins with a Nonspacing Mark",
      "Begins with an Enclosing Mark",
      "Exceptions that are DISALLOWED, right-to-left chars",
      "Exceptions that are DISALLOWED, left-to-right chars",
      "MIDDLE DOT with no preceding 'l'",
      "MIDDLE DOT with nothing preceding",
      "MIDDLE DOT with no following 'l'",
      "MIDDLE DOT with nothing following",
      "Greek KERAIA not followed by Greek",
      "Greek KERAIA not followed by anything",
      "Hebrew GERESH not preceded by Hebrew",
      "Hebrew GERESH not preceded by anything",
      "Hebrew GERSHAYIM not preceded by Hebrew",
      "Hebrew GERSHAYIM not preceded by anything",
      "KATAKANA MIDDLE DOT with no Hiragana, Katakana, or Han",
      "KATAKANA MIDDLE DOT with no other characters",
      "Arabic-Indic digits mixed with Extended Arabic-Indic digits",
      "ZERO WIDTH JOINER not preceded by Virama",
      "ZERO WIDTH JOINER not preceded by anything",
      'contains "--" in the 3rd and 4th position',
    ].map((test) => `${hostnames} > ${test}`),
  },
  {
    reason: "uri and uri-reference are one regular expression each, which lets a few malformed ones pass",
    tests: [
      `${uris} > non-numeric port is invalid`,
      `${uris} > leading zero in an embedded IPv4 address is invalid`,
      `${uris} > square brackets are not allowed in a path segment`,
      `${uriReferences} > a double quote in a path`,
      `${uriReferences} > square brackets outside an authority`,
      `${uriReferences} > a non-numeric port in a network-path reference`,
      `${uriReferences} > more than one at-sign in the authority`,
      `${uriReferences} > a leading zero in the IPv4 part of an IPv6 literal`,
      `${uriReferences} > a colon in the first segment of a relative-path reference`,
    ],
  },
];
