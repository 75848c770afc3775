/** Why a slot that a waiting visitor could have used is idle. */
export const IDLE_REASONS = [
  "of sessions that have ended at a node that nobody can ask",
  "of sessions that were adopted from such a node",
  "in a pot, pledged beyond what was held",
  "in a pot, without a pledge",
  "at a node that is down",
  "at a node that is gone and not removed yet",
  "at a node that is cut off",
  "at a node with an old disk, or that lost power",
  "at a node whose clock is off",
  "held for sessions that nobody shows",
  "free beside a line",
  "free where nobody waits",
  "free, but arrivals are in a pot",
  "free, but arrivals are at a node that is down, gone or cut off",
  "free, but arrivals are at a node without slots",
  "under way, or in fractions",
] as const;

export type IdleReason = (typeof IDLE_REASONS)[number];
