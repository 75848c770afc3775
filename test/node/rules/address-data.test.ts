import { describe, expect, test } from "vitest";
import { type AddressData, addressData } from "../../../node/rules/address-data.ts";
import { compileExpression, type Truth } from "../../../node/rules/expression.ts";
import { Facts } from "../../../node/rules/facts.ts";
import { lacking } from "../../../node/rules/lookups.ts";
import { mmdb } from "./mmdb.ts";

const COUNTRIES = mmdb("DBIP-Country-Lite", {
  "203.0.113.0/24": { country: { iso_code: "DE" }, continent: { code: "EU" } },
  "198.51.100.0/25": { country: { iso_code: "NZ" } },
  "192.0.2.0/24": { registered_country: { iso_code: "US" } },
  "2001:db8::/32": { country: { iso_code: "FR" } },
});
const NETWORKS = mmdb("GeoLite2-ASN", {
  "203.0.113.0/24": {
    autonomous_system_number: 64_496,
    autonomous_system_organization: "An example network of many words",
  },
});

const ALL = { ...used(COUNTRIES), ...used(NETWORKS) };

function used(bytes: Buffer): AddressData {
  const data = addressData(bytes);
  if (typeof data === "string") throw new Error(data);
  return data;
}

function truth(expression: string, address: string, addresses: AddressData = ALL): Truth {
  const request = { method: "GET", target: "/", host: "shop.example", headers: [] };
  const from = { request, client: { address, secure: true }, lookups: () => ({ addresses }) };
  return compileExpression(expression).is(new Facts(from));
}

describe("ip.src.country and ip.src.asnum", () => {
  test.each([
    ['ip.src.country eq "DE"', "203.0.113.9", true],
    ['ip.src.country eq "DE"', "::ffff:203.0.113.9", true],
    ['ip.src.country in {"FR" "NZ"}', "198.51.100.127", true],
    ['ip.src.country in {"FR" "NZ"}', "198.51.100.128", false],
    ['ip.src.country eq "XX"', "198.51.100.128", true],
    ['ip.src.country eq "XX"', "192.0.2.1", true],
    ['lower(ip.src.country) eq "fr"', "2001:db8::1", true],
    ['ip.src.country ne "DE"', "203.0.113.9", false],
    ["ip.src.asnum eq 64496", "203.0.113.9", true],
    ["ip.src.asnum in {13335 064496}", "203.0.113.9", true],
    ["ip.src.asnum ne 64496", "203.0.113.9", false],
    ["ip.src.asnum eq 0", "192.0.2.1", true],
    ["ip.src.asnum in {6449}", "203.0.113.9", false],
  ])("%s of %s is %s", (expression, address, expected) => expect(truth(expression, address)).toBe(expected));

  test.each(['ip.src.country eq "DE"', 'not ip.src.country eq "DE"', "ip.src.asnum ne 1", "not ip.src.asnum in {1}"])(
    "%s is unknown without a database, and of what is no address",
    (expression) => {
      expect(truth(expression, "203.0.113.9", {})).toBe("unsure");
      expect(truth(expression, "unix:")).toBe("unsure");
    },
  );

  test("a database of IPv4 says nothing of IPv6", () => {
    const four = used(mmdb("GeoLite2-Country", { "0.0.0.0/1": { country: { iso_code: "DE" } } }, 4));
    expect(four.country?.("1.2.3.4")).toBe("DE");
    expect(four.country?.("102:304::1")).toBe("XX");
  });

  test.each([
    ['ip.src.asnum eq "64496"', '"64496" is no number'],
    ['ip.src.asnum contains "6"', "can be compared by eq, ne and in only"],
    ["ip.src.country eq 49", "49 is no text"],
    ["ip.src.asnum", "ip.src.asnum is no text"],
    ['ip.src.asnum["a"] eq "1"', "ip.src.asnum is no text"],
  ])("%s is a fault", (expression, problem) => expect(() => compileExpression(expression)).toThrow(problem));

  test("a database of anything else, or a file that is none, says why", () => {
    expect(addressData(mmdb("GeoIP2-Connection-Type", {}))).toContain('says "GeoIP2-Connection-Type" of itself');
    expect(addressData(Buffer.from("<html>not found</html>"))).toContain("is no database in MaxMind's form");
    expect(addressData(Buffer.alloc(0))).toContain("is no database in MaxMind's form");
  });

  test("a file without its end is not searched as a whole, and says so", () => {
    const padded = (bytes: number) => addressData(Buffer.concat([COUNTRIES, Buffer.alloc(bytes)]));
    expect(padded(100 * 1_024)).not.toBeTypeOf("string");
    for (const file of [padded(128 * 1_024), addressData(COUNTRIES.subarray(0, 200))])
      expect(file).toContain("has no metadata near its end");
  });

  test("a damaged entry is unknown", () => {
    const damaged = Buffer.from(COUNTRIES);
    damaged.fill(0xff, COUNTRIES.indexOf("iso_code") - 8, COUNTRIES.indexOf("iso_code"));
    expect(used(damaged).country?.("203.0.113.9")).toBeUndefined();
  });

  test("what a rule needs is known by its fields", () => {
    const { fields } = compileExpression('not (ssl or lower(ip.src.country) eq "de") and ip.src.asnum eq 1');
    const names = (addresses: AddressData) => lacking(fields, { addresses }).map(({ field }) => field);
    expect(names({})).toEqual(["ip.src.country", "ip.src.asnum"]);
    expect(names(used(COUNTRIES))).toEqual(["ip.src.asnum"]);
    expect(names(ALL)).toEqual([]);
  });
});
