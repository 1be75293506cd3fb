import { readdirSync } from "node:fs";
import { againOnDisk } from "../../../postgres/test/every-store.ts";

// The draft holds on whatever store a router has.
const sections = readdirSync(import.meta.dirname).flatMap((name) => /^(\d.*)\.test\.ts$/.exec(name)?.[1] ?? []);
againOnDisk(new URL("./", import.meta.url), sections);
