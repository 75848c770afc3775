import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CONTRAST_MIN, channels, contrast, luminance, paletteCss } from "../../../node/gate/brand.ts";

const colour = fc.stringMatching(/^#(?:[0-9a-f]{3}|[0-9a-fA-F]{6})$/);
const between = (one: string, other: string) => contrast(luminance(channels(one)), luminance(channels(other)));
const valuesIn = (css: string, name: string) =>
  [...css.matchAll(new RegExp(`--${name}:(#[^;]+);`, "g"))].map(([, value = ""]) => value);

describe("the colours of a room's pages", () => {
  test("are readable for any accent and background, in each theme", () => {
    fc.assert(
      fc.property(colour, colour, fc.constantFrom("auto", "light", "dark"), (accent, background, theme) => {
        const css = paletteCss({ accent, background, theme });
        const [cards, texts, softs, accents] = ["card", "text", "soft", "accent"].map((name) => valuesIn(css, name));
        expect(cards).toHaveLength(theme === "auto" ? 2 : 1);
        for (const [index, card] of (cards ?? []).entries())
          for (const ink of [texts?.[index], softs?.[index], accents?.[index]])
            expect(between(ink ?? "", card)).toBeGreaterThanOrEqual(CONTRAST_MIN);
        const grounds = valuesIn(css, "ground");
        if (theme !== "dark") expect(grounds[0]).toBe(background);
        if (theme !== "light") expect(luminance(channels(grounds.at(-1) ?? ""))).toBeLessThanOrEqual(0.03);
      }),
    );
  });

  test("leave a readable accent as it is", () => {
    expect(valuesIn(paletteCss({ accent: "#0a5d3f", background: "", theme: "light" }), "accent")).toEqual(["#0a5d3f"]);
    expect(between("#000", "#fff")).toBeCloseTo(21);
  });
});
