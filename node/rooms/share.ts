/** The share that those who do not see all rooms have of what a mesh has a bounded number of. */

/**
 * Whether so much is beyond the share of somebody who does not see all rooms, of what a mesh has `max` of: a quarter for
 * each namespace, `own`, and three quarters of `all`, so that the last one is for those who see all rooms.
 */
export function isBeyondShare(max: number, { own, all }: { readonly own: number; readonly all: number }): boolean {
  return own > max / 4 || all > (max * 3) / 4;
}

export const SHARE = "tokens that see some rooms only have a quarter per namespace, and three quarters together";
