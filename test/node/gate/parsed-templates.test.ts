import Mustache from "mustache";
import { expect, test } from "vitest";
import { ParsedTemplates } from "../../../node/gate/parsed-templates.ts";

test("templates are rendered and escaped as Mustache does, again and again", () => {
  const templates = new ParsedTemplates();
  for (const value of ["<a>", "b"])
    expect(templates.render("<p>{{value}}</p>{{{value}}}", { value })).toBe(
      Mustache.render("<p>{{value}}</p>{{{value}}}", { value }),
    );
  expect(templates.size).toBe(1);
});

test("what is kept is bounded, the templates used last are kept, and Mustache's own cache stays as it is", () => {
  const templates = new ParsedTemplates(1_000);
  const own = new ParsedTemplates();
  const cached = JSON.stringify(Mustache.templateCache ?? null).length;
  for (let index = 0; index < 500; index++) {
    templates.render(`page ${index} `.padEnd(100, "x"), {});
    templates.render("the one of the room".padEnd(100, "x"), {});
    expect(templates.size).toBeLessThanOrEqual(10);
  }
  expect(JSON.stringify(Mustache.templateCache ?? null).length).toBe(cached);
  expect(own.size).toBe(0);
});

test("a template larger than the bound is rendered and not kept", () => {
  const templates = new ParsedTemplates(10);
  expect(templates.render("longer than ten {{a}}", { a: 1 })).toBe("longer than ten 1");
  expect(templates.size).toBe(0);
});

test("one that fails is not kept", () => {
  const templates = new ParsedTemplates();
  expect(() => templates.render("{{#a}}", {})).toThrow("Unclosed section");
  expect(templates.size).toBe(0);
});
