import { expect, test } from "vitest";
import { screenOf } from "../../../cmd/status/screen.ts";
import { fakeIo } from "../fake-io.ts";

test("a live screen overwrites itself, never scrolls, and gives the terminal back as it was", () => {
  const { io, written } = fakeIo({ size: { columns: 80, rows: 2 } });
  const screen = screenOf(io);
  screen.open();
  screen.show("one\ntwo\nthree");
  screen.close();
  expect(written.drawn).toBe(
    "\x1b[?1049h\x1b[?25l\x1b[?7l" + "\x1b[Hone\x1b[K\ntwo\x1b[K\x1b[J" + "\x1b[?7h\x1b[?25h\x1b[?1049l",
  );
});
