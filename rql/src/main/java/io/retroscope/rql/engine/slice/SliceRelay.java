// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The items of a slice that another process walks, on their way to the feed of the slice. If the
 * process fails, the rest of the slice can be walked elsewhere. Used by one thread.
 */
final class SliceRelay {
  /*
   * A cut may make several items, and the rest of the slice begins at a stamp. So the items of the
   * last cut wait until one of a later cut comes, or progress beyond it: then those before are all
   * that there are.
   */
  private final SliceFeed feed;
  private final List<SliceItem> waiting = new ArrayList<>();
  private SliceItem.@Nullable OfCut passedLast;
  private SliceItem.@Nullable OfCut last;

  /** The numbers of cuts that progress has reported: so far, before the last item, and passed. */
  private long cuts;

  private long cutsBeforeLast;
  private long passedCuts;

  SliceRelay(SliceFeed feed) {
    this.feed = feed;
  }

  void add(SliceItem item) {
    if (item instanceof SliceItem.OfCut cut) {
      if (last != null && cut.hlc() > last.hlc()) {
        pass();
      }
      last = cut;
      cutsBeforeLast = cuts;
      waiting.add(item);
    } else if (item instanceof SliceItem.Progress progress) {
      cuts = progress.cuts();
      pass();
      feed.progress(progress);
    } else {
      waiting.add(item);
    }
  }

  private void pass() {
    waiting.forEach(feed::add);
    waiting.clear();
    passedLast = last;
    passedCuts = cutsBeforeLast;
  }

  /** Passes on the rest, after the last item of the slice. */
  void end() {
    pass();
    feed.flush();
  }

  /** Ends the part of the slice that is passed on; returns the range that is not. */
  HlcRange rest(HlcRange slice) {
    SliceItem.OfCut before = passedLast;
    if (before == null) {
      return slice;
    }
    feed.add(new SliceItem.Finished(before.hlc(), passedCuts, before.hlc(), before.valued()));
    feed.flush();
    return new HlcRange(before.hlc() + 1, slice.to());
  }
}
