import { expect, test } from "vitest";
import { readLoadOptions } from "../../../cmd/rehearsal/options.ts";
import { anteroom } from "../fake-io.ts";

const URL = "https://staging.example.com/sale?x=1";

function read(given: Readonly<Record<string, string | readonly string[]>>, url = URL) {
  const flags = new Map(Object.entries(given).map(([key, value]) => [key, [value].flat()]));
  return readLoadOptions({ flags: flags.set("i-own-this-site", ["true"]), positionals: [url] });
}

test("without --i-own-this-site nothing is sent: exit code 2, why, and the repair", async () => {
  const { exit, answer, talk } = await anteroom(`load ${URL} --rate 30`);
  expect({ exit, answer }).toEqual({ exit: 2, answer: "" });
  expect(talk).toContain("--i-own-this-site: is missing");
  expect(talk).toContain("nothing says that it is yours");
  expect(talk).toContain("against your own staging only");
});

test("all that is wrong is said at once", async () => {
  const { exit, talk } = await anteroom(
    "load ftp://example.com --rate 0 --without-js 1.5 --path shop --path //evil.example/ --duration 3",
  );
  expect(exit).toBe(2);
  for (const text of [
    "--i-own-this-site: is missing",
    'URL = "ftp://example.com": is not the address of a site',
    "is not a rate above 0",
    '--path = "shop": is not a path',
    '"//evil.example/": is not a path',
    "has no unit",
  ])
    expect(talk).toContain(text);
});

test("by default a visitor a second arrives for five minutes, where the address leads", () => {
  const options = read({});
  expect(options).toMatchObject({
    ok: true,
    value: {
      site: "https://staging.example.com",
      paths: ["/sale?x=1"],
      arrivals: { kind: "rate", from: 60, to: 60, forMs: 300_000 },
    },
  });
});

test("rates, spikes and lists of paths", () => {
  expect(read({ rate: "10..600", duration: "10m", arrive: "2m", path: ["/", "/shop"] })).toMatchObject({
    value: { paths: ["/", "/shop"], arrivals: { from: 10, to: 600, forMs: 120_000 } },
  });
  expect(read({ "at-once": "500" })).toMatchObject({ value: { arrivals: { kind: "at-once", visitors: 500 } } });
});

test.each([
  [{ rate: "601" }, "--rate"],
  [{ rate: "10..700" }, "--rate"],
  [{ "at-once": "1001" }, "--at-once"],
  [{ rate: "600", duration: "1h" }, "--duration"],
  [{ rate: "60001", large: "true" }, "--rate"],
  [{ rate: "60", "at-once": "5" }, "--at-once"],
])("%j is refused", (given, path) => {
  expect(read(given)).toMatchObject({ ok: false, problems: [{ path }] });
});

test("--large allows more, and a password in the address is not shown", async () => {
  expect(read({ rate: "6000", large: "true" }).ok).toBe(true);
  const { exit, talk } = await anteroom("load https://me:secret@example.com/ --i-own-this-site");
  expect(exit).toBe(2);
  expect(talk).not.toContain("secret");
});
