// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.event.Value;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.diagnostic.RqlException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A client of a live query: the rows that it was shown and that were not retracted. */
final class SeamClient implements LiveSink {
  /** Columns that later evidence may refine, and the nodes that were missing. */
  private static final Set<String> REFINED =
      Set.of("time", "endTime", "uncertaintyMicros", "durationUncertaintyMicros", "missing");

  /** A row without its refined columns, and the range of stamps that it is about. */
  record Shown(String text, HlcRange range, long digest) {
    static Shown of(List<Column> columns, Row row, long digest) {
      StringBuilder text = new StringBuilder(Long.toString(row.hlc()));
      long end = row.hlc();
      for (int i = 0; i < columns.size(); i++) {
        String name = columns.get(i).name();
        Value value = row.values().get(i);
        if (!REFINED.contains(name)) {
          text.append(' ').append(name).append('=').append(value);
        }
        if (name.equals("endHlc") && value instanceof TimestampValue stamp) {
          end = stamp.packed();
        }
      }
      return new Shown(text.toString(), new HlcRange(row.hlc(), end), digest);
    }
  }

  private final boolean takesMarks;
  final List<Shown> rows = new ArrayList<>();
  final List<HlcRange> lost = new ArrayList<>();
  final List<String> notices = new ArrayList<>();
  int late;
  int retracted;
  int reported;
  long reachedHlc;
  int progressCount;
  private List<Column> columns = List.of();
  private StreamPlace place = new StreamPlace(0, 0, 0);
  private Optional<StreamPlace> last = Optional.empty();
  private int left = Integer.MAX_VALUE;

  /**
   * A client that was shown nothing.
   *
   * @param takesMarks whether it handles the marks; otherwise it ignores what has one
   */
  SeamClient(boolean takesMarks) {
    this.takesMarks = takesMarks;
  }

  /** Breaks the connection after this number of further events. */
  void cutAfter(int events) {
    left = events;
  }

  boolean isCut() {
    return left <= 0;
  }

  /** The id with which it connects again, as it reads it. */
  Optional<StreamPlace> reconnect() {
    left = Integer.MAX_VALUE;
    return last.map(at -> StreamPlace.parse(at.text()));
  }

  private boolean receives() {
    if (left <= 0) {
      return false;
    }
    left--;
    last = Optional.of(place);
    return true;
  }

  @Override
  public void columns(List<Column> all) {
    columns = all;
  }

  @Override
  public void place(StreamPlace at) {
    place = at;
  }

  @Override
  public boolean row(Row row) {
    if (receives()) {
      rows.add(Shown.of(columns, row, place.row()));
    }
    return left > 0;
  }

  @Override
  public boolean late(Row row) {
    if (receives() && takesMarks) {
      late++;
      rows.add(Shown.of(columns, row, place.row()));
    }
    return left > 0;
  }

  @Override
  public void retracted(long digest, long hlc) {
    if (receives() && takesMarks) {
      retracted++;
      remove(digest, hlc);
    }
  }

  private void remove(long digest, long hlc) {
    for (int i = rows.size() - 1; i >= 0; i--) {
      if (rows.get(i).digest() == digest && rows.get(i).range().from() == hlc) {
        rows.remove(i);
        return;
      }
    }
    if (lost.stream().noneMatch(range -> range.contains(hlc))) {
      throw new AssertionError("a row is retracted that was not shown: " + hlc);
    }
  }

  @Override
  public void lost(long from, long until, String message) {
    if (takesMarks) {
      reported++;
      lost.add(new HlcRange(from, until));
    }
  }

  @Override
  public void progress(long cuts, long hlc) {
    progressCount++;
    boolean unused = receives();
  }

  @Override
  public void reached(long hlc) {
    reachedHlc = hlc;
  }

  @Override
  public void warning(String message) {}

  @Override
  public void notice(String sentence) {
    notices.add(sentence);
  }

  @Override
  public boolean cancelled() {
    return left <= 0;
  }

  @Override
  public void held(long micros) {}

  @Override
  public void end() {
    throw new AssertionError("the query has no limit");
  }

  @Override
  public void failed(RqlException reason) {
    throw reason;
  }

  @Override
  public void broken(String reason) {
    throw new AssertionError(reason);
  }

  @Override
  public void goingDown() {}
}
