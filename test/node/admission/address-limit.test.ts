import { describe, expect, test } from "vitest";
import type { Minute } from "../../../mesh/core/ids.ts";
import { AddressLimit } from "../../../node/admission/address-limit.ts";

const M = 1_000 as Minute;

describe("the limit of new places per address", () => {
  test("gives each address as many places a minute as it allows", () => {
    const limit = new AddressLimit();
    expect([1, 2, 3].map(() => limit.take("203.0.113.7", M, 2))).toEqual([true, true, false]);
    expect(limit.take("203.0.113.8", M, 2)).toBe(true);
  });

  test("is none at 0", () => {
    const limit = new AddressLimit();
    expect(Array.from({ length: 100 }, () => limit.take("203.0.113.7", M, 0))).not.toContain(false);
  });

  test("lets new addresses pass uncounted when it remembers as many as it may, and holds for those it remembers", () => {
    const limit = new AddressLimit();
    for (let index = 0; index < 200_000; index++) limit.take(`address-${index}`, M, 1);
    expect([1, 2, 3].map(() => limit.take("one more", M, 1))).toEqual([true, true, true]);
    expect(limit.take("address-199999", M, 1)).toBe(false);
  });
});
