package io.retroscope.server.store;

import io.retroscope.event.EventBlock;

/** A search for rows of a block by their stamps, which ascend. */
final class EventRows {
  private EventRows() {}

  /** Index of the first row at or above the stamp; the block's size if there is none. */
  static int firstAt(EventBlock block, long hlc) {
    int low = 0;
    int high = block.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (block.hlc(middle) < hlc) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
