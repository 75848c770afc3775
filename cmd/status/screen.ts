/**
 * A live screen on the terminal's alternate screen.
 *
 * Each update overwrites the one before line by line and clears the rest, so that nothing flickers; it is cut to the
 * size of the terminal at that moment, so that it never scrolls.
 */

import type { Io } from "../io.ts";

export interface Screen {
  /** Switches to the alternate screen and hides the cursor. */
  readonly open: () => void;
  /** Shows `text` from the top, replacing the screen. */
  readonly show: (text: string) => void;
  /** Restores cursor and screen. */
  readonly close: () => void;
}

const OPEN = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const CLOSE = "\x1b[?7h\x1b[?25h\x1b[?1049l";
const HOME = "\x1b[H";
const CLEAR_LINE = "\x1b[K";
const CLEAR_BELOW = "\x1b[J";

/** The screen of `io`. Line wrap is off while it is open: the terminal cuts long lines itself. */
export function screenOf(io: Pick<Io, "draw" | "terminal">): Screen {
  return {
    open: () => io.draw(OPEN),
    show: (text) => {
      const lines = text.split("\n").slice(0, io.terminal.size().rows);
      io.draw(HOME + lines.map((line) => line + CLEAR_LINE).join("\n") + CLEAR_BELOW);
    },
    close: () => io.draw(CLOSE),
  };
}
