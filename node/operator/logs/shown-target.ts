/**
 * A request's target as logs and traces have it: without what lets its visitor in.
 *
 * It looks for the names of these in the whole target: an address within the query may have one in its own query. The
 * rest of such a pair is lost with it.
 */

const SECRET = /(anteroom_pass|queueittoken|enqueuetoken)(=|%(?:25)*3d)[^&]*/gi;

export function shownTarget(target: string): string {
  return target.replaceAll(SECRET, "$1$2-");
}
