import { expect, test } from "vitest";
import { shownTarget } from "../../../../node/operator/logs/shown-target.ts";

test.each([
  ["/a?x=1&y=2", "/a?x=1&y=2"],
  ["/a?anteroom_pass=abc.def&y=2", "/a?anteroom_pass=-&y=2"],
  ["/a?x=1&queueittoken=e_shop~h_0123", "/a?x=1&queueittoken=-"],
  ["/a?QueueItToken=e_shop~h_0123&y", "/a?QueueItToken=-&y"],
  ["/a?enqueuetoken=abc", "/a?enqueuetoken=-"],
  [
    "/?c=c&t=https%3A%2F%2Fs.test%2F%3Fa%3D1%26queueittoken%3De_shop~h_0&y",
    "/?c=c&t=https%3A%2F%2Fs.test%2F%3Fa%3D1%26queueittoken%3D-&y",
  ],
  [
    "/?t=https%253A%252F%252Fs.test%253Fqueueittoken%253De_shop",
    "/?t=https%253A%252F%252Fs.test%253Fqueueittoken%253D-",
  ],
])("what lets a visitor in is not shown: %s", (target, shown) => {
  expect(shownTarget(target)).toBe(shown);
});
