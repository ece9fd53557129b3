// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.cut.walk.LocalWalk;
import java.util.Set;
import java.util.function.Predicate;

/** The nearest cuts of some variables around a stamp. Used by one thread. */
final class CutSteps {
  /** The most events that are read in each direction. */
  static final long MAX_EVENTS = 100_000;

  private static final long FIRST_MICROS = 1_000;
  private static final int GROWTH = 4;

  private final View view;
  private final Set<String> logs;
  private final Predicate<String> variables;
  private final HlcRange all;

  /**
   * The result of a search.
   *
   * @param hlc packed; the stamp of the cut, or the one up to which there is none
   * @param isFound whether it is a cut
   * @param isEnd whether there is none up to the end of the history
   */
  record Step(long hlc, boolean isFound, boolean isEnd) {}

  CutSteps(View view, Set<String> logs, Predicate<String> variables) {
    this.view = view;
    this.logs = logs;
    this.variables = variables;
    this.all = view.extent().orElse(new HlcRange(HlcTimestamp.MIN_PACKED, HlcTimestamp.MIN_PACKED));
  }

  /** The last cut before a stamp. */
  Step before(long hlc) {
    if (hlc <= all.from()) {
      return new Step(hlc, false, true);
    }
    long end = Math.min(hlc - 1, all.to());
    long micros = FIRST_MICROS;
    long left = MAX_EVENTS;
    while (end >= all.from() && left > 0) {
      long from =
          Math.max(all.from(), HlcTimestamp.pack(Math.max(0, HlcTimestamp.micros(end) - micros)));
      Search search = new Search(left, false);
      search.walk(new HlcRange(from, end));
      if (search.isCutOff()) {
        return new Step(end, false, false);
      }
      if (search.found) {
        return new Step(search.hlc, true, false);
      }
      left -= search.read;
      end = from - 1;
      micros *= GROWTH;
    }
    return new Step(end, false, end < all.from());
  }

  /** The first cut after a stamp. */
  Step after(long hlc) {
    long from = Math.max(hlc + 1, all.from());
    if (from > all.to()) {
      return new Step(hlc, false, true);
    }
    Search search = new Search(MAX_EVENTS, true);
    search.walk(new HlcRange(from, all.to()));
    return new Step(search.hlc, search.found, !search.found && !search.isCutOff());
  }

  /** A walk over one stretch, which remembers its first or last cut. */
  private final class Search implements LocalWalk.Listener {
    private final CutState state = new CutState(Set.of());
    private final long most;
    private final boolean isFirstWanted;
    private long hlc;
    private long read;
    private boolean found;
    private boolean cutOff;

    Search(long most, boolean isFirstWanted) {
      this.most = most;
      this.isFirstWanted = isFirstWanted;
    }

    void walk(HlcRange range) {
      hlc = range.from();
      for (String log : logs) {
        state.followMatching(log, variables, column -> {});
      }
      view.logs().stream()
          .filter(log -> logs.contains(log.name()))
          .forEach(
              log ->
                  log.variables().stream()
                      .filter(variables)
                      .forEach(name -> state.follow(log.name(), name)));
      new LocalWalk(state, interest(), this).walk(view, range);
    }

    private Interest interest() {
      return new Interest() {
        @Override
        public Set<String> logs() {
          return logs;
        }

        @Override
        public boolean follows(String log, String variable) {
          return logs.contains(log) && variables.test(variable);
        }

        @Override
        public boolean counts(String node) {
          return true;
        }

        @Override
        public boolean usesAges() {
          return true;
        }

        @Override
        public boolean isCancelled() {
          return cutOff;
        }
      };
    }

    /** Whether it ended before the end of its range without the wanted cut. */
    boolean isCutOff() {
      return cutOff;
    }

    @Override
    public void earlier(EventBlock block, int row) {}

    @Override
    public boolean before(EventBlock block, int row) {
      long stamp = block.hlc(row);
      if (isFirstWanted && found) {
        return false;
      }
      if (++read > most) {
        cutOff = true;
        hlc = isFirstWanted ? stamp - 1 : hlc;
        return false;
      }
      EventKind kind = block.kind(row);
      if (kind == EventKind.START || kind == EventKind.STOP) {
        find(stamp);
      }
      return true;
    }

    @Override
    public void changed(int node, long stamp) {
      if (!cutOff) {
        find(stamp);
      }
    }

    private void find(long stamp) {
      if (!(isFirstWanted && found)) {
        hlc = stamp;
        found = true;
      }
    }

    @Override
    public void after(EventBlock block, int row) {}

    @Override
    public void warning(EventWarning warning) {}
  }
}
