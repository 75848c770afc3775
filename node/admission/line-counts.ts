/** Places in a line that ended without an admission, since the start of the process: plain numbers, for the history. */
export class LineCounts {
  /** Visitors who gave up their places, or stopped asking before they were called. */
  abandoned = 0;
  /** Visitors who were called, and did not ask. */
  noShows = 0;
  /** Visitors who asked for a place that the line did not know any more: of those above, they came back. */
  returned = 0;
}
