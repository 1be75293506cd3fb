import { readdirSync } from "node:fs";
import { again, sharedStores } from "../../../postgres/test/every-store.ts";

// The draft holds on whatever store a router has.
const sections = readdirSync(import.meta.dirname).flatMap((name) => /^(\d.*)\.test\.ts$/.exec(name)?.[1] ?? []);
again(sharedStores, import.meta.dirname, sections, 8);
