import fc from "fast-check";
import { expect, test } from "vitest";
import { supportId } from "../../../node/gate/support-id.ts";

test("a support id is short, readable aloud, and the same for the same visitor, whatever the id", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (id) => {
      expect(supportId(id)).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
      expect(supportId(id)).toBe(supportId(id));
    }),
  );
  expect(supportId("AAAAAAAAAAAAAAAAAAAAAA")).toBe("0000-0000");
  expect(supportId("_____w")).toMatch(/^ZZZZ-ZZ/);
});
