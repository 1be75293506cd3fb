// The demo as a module for the command line: `toolglot --tools apps/demo/dist/index.js`.
import type { ModuleExtension } from "toolglot";
import { help } from "./help.ts";
import { openDemo } from "./open-demo.ts";
import { createPlanner } from "./planner/planner.ts";
import { slipIds } from "./planner/slips.ts";
import { tourStops } from "./tour/tour.ts";

/** An outdoor shop with its data, a project to work on, and a rule-based planner in the place of a model. */
export const toolglot: ModuleExtension = {
  name: "demo",
  dataFolder: "toolglot-demo",
  protocol: "attp",
  open: ({ folder, reset }) => openDemo(folder, { reset }),
  model: {
    name: "planner",
    label: { en: "rule-based planner, no language model", zh: "基于规则的规划器，不是语言模型" },
    slips: slipIds,
    create: ({ slip, delayMs, onDecline }) =>
      createPlanner({ ...(slip !== undefined && { messy: slip }), delayMs, onDecline }),
  },
  tour: tourStops,
  help,
};
