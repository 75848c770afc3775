import { expect, test } from "vitest";
import { withoutSecrets } from "../../cmd/hidden-arguments.ts";

test.each([
  ["a value after its flag", "serve --token hunter2 --listen :80", "serve --token ******* --listen :80"],
  ["a value in its flag", "--origin-secret=a=b --name gate1", "--origin-secret=*** --name gate1"],
  ["a value that looks like a flag", "--token --token x", "--token ******* x"],
  ["a flag without a value", "status --token", "status --token"],
  ["no value of a file with a secret", "--token-file f --token-file=g", "--token-file f --token-file=g"],
])("arguments are hidden: %s", (_, given, hidden) => {
  const bytes = Buffer.from(given.replaceAll(" ", "\0"));
  expect(withoutSecrets(bytes).toString().replaceAll("\0", " ")).toBe(hidden);
});
