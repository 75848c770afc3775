/** A template that is accepted costs its length to check. */

import { expect, test } from "vitest";
import { templateComplaint } from "../../../node/config/template-check.ts";
import { expectLinear } from "../../linear.ts";

test.each([
  ["many tags", "{{a}}"],
  ["runs of blanks", `{{a${" ".repeat(499)}}}`],
  ["beginnings of tags", "<meta "],
  ["sections", `${"{{#a}}".repeat(50)}${"{{/a}}".repeat(50)}`],
])("%s", (_, run) => {
  const template = (bytes: number): string => `<p>${run.repeat(Math.ceil(bytes / run.length))}`;
  expectLinear(16_000, template, (text) => expect(templateComplaint(text)).toBeUndefined());
});
