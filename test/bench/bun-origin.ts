/**
 * An origin for machines without nginx: `bun bun-origin.ts PORT FILE` serves one file at every path.
 */

const [port, file] = process.argv.slice(2);
const page = await Bun.file(file ?? "").text();

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  fetch: () => new Response(page, { headers: { "Content-Type": "text/html" } }),
});

export {};
