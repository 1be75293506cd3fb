import { join } from "node:path";
import { testDocExamples } from "@toolglot/internal/testing/doc-examples";
import { examples } from "./doc-examples.ts";

const here = (path: string): string => join(import.meta.dirname, path);
testDocExamples([here("doc-examples.ts")], ["../src"].map(here), examples.length);
