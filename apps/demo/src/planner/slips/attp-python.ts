import { writeDocument } from "../formats/attp.ts";
import { type AttpSlip, documentSlips, fencedCode, programSlips } from "./attp.ts";
import { inTurns } from "./slip.ts";

/** Slips in Python programs. */
const pythonSlips: readonly AttpSlip[] = [
  {
    id: "import",
    title: "an import of a library that is already there",
    write: (parts) => writeDocument({ ...parts, code: `import re\nimport json\n\n${parts.code}` }),
  },
  {
    id: "inner-quotes",
    title: "a docstring with the quotes that end the code",
    write: (parts) =>
      writeDocument({
        ...parts,
        code: `def note(text):\n    '''Shows a line in the log.'''\n    print(text)\n\n${parts.code}`,
      }),
  },
  fencedCode("python"),
];

/** In the order in which they take turns. */
export const attpSlips: readonly AttpSlip[] = inTurns(documentSlips, programSlips, pythonSlips);
