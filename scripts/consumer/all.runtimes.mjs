// Run by scripts/runtimes.mjs under each runtime, in a folder where all packages are installed, beside the packages' programs.
// Prints one line of JSON: for each program what is wrong with it, and whether this runtime has an outcome of its own.
const [family = "", ...ids] = process.argv.slice(2);

/** @param {string} id */
async function check(id) {
  const { consume, expected, expectedOn } = await import(`./programs/${id}.mjs`);
  const own = expectedOn?.[family];
  const wanted = own ?? expected;
  const found = await Promise.resolve()
    .then(consume)
    .catch((/** @type {any} */ error) => error?.code ?? String(error?.stack ?? error));
  const fault = found === wanted ? undefined : `it gives ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`;
  return { id, fault, isLimited: own !== undefined };
}

const programs = [];
for (const id of ids) programs.push(await check(id).catch((error) => ({ id, fault: String(error), isLimited: false })));
console.log(JSON.stringify({ programs }));
