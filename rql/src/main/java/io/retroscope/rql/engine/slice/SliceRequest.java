// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.plan.BoundPlan;
import io.retroscope.rql.plan.QueryPlan;
import io.retroscope.rql.plan.TimeWindow;
import java.util.List;

/**
 * A slice of a query for another process.
 *
 * @param text of the statement
 * @param meaning of its names, which depends on the variables that are known
 * @param window that of the query's walk
 * @param slice not the first one of the window
 */
public record SliceRequest(String text, String meaning, TimeWindow window, HlcRange slice) {
  /** The request for a slice of a plan's range. */
  static SliceRequest of(BoundPlan plan, HlcRange slice) {
    TimeWindow window = new TimeWindow(plan.slice().history().orElseThrow(), plan.slice().single());
    return new SliceRequest(plan.text(), meaning(plan.plan()), window, slice);
  }

  /** Text that is equal for plans of one statement with the same columns and variables. */
  public static String meaning(QueryPlan plan) {
    List<String> columns = plan.query().items().stream().map(AnalyzedQuery.Item::heading).toList();
    List<String> variables =
        plan.input().variables().stream().map(Object::toString).sorted().toList();
    return columns + " of " + variables;
  }

  byte[] toBytes() {
    WireWriter out = new WireWriter();
    out.putByte(SliceBytes.VERSION);
    out.putText(text);
    out.putText(meaning);
    out.putByte(window.single() ? 1 : 0);
    write(window.range(), out);
    write(slice, out);
    return out.toByteArray();
  }

  private static void write(HlcRange range, WireWriter out) {
    out.putLong(range.from());
    out.putLong(range.to());
  }

  /**
   * Reads a request.
   *
   * @throws CorruptBlockException if it is damaged, or of another version
   */
  public static SliceRequest of(byte[] bytes) throws CorruptBlockException {
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    SliceBytes.checkVersion(in.getByte(), in);
    String text = in.getText();
    String meaning = in.getText();
    boolean single = in.getBounded("window", 1) == 1;
    return new SliceRequest(text, meaning, new TimeWindow(range(in), single), range(in));
  }

  private static HlcRange range(WireReader in) throws CorruptBlockException {
    long from = in.getLong();
    long to = in.getLong();
    if (from > to) {
      throw in.corrupt("a range that ends before it begins");
    }
    return new HlcRange(from, to);
  }
}
