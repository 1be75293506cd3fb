// Loaded into a gateway whose memory is measured: at SIGUSR2 it collects its garbage and writes what is left. Needs --expose-gc.
process.on("SIGUSR2", () => {
  for (let turn = 0; turn < 3; turn++) globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.stderr.write(`memory ${JSON.stringify({ heapUsed, external, rss })}\n`);
});
