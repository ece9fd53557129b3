// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import java.util.Set;

/** The exact events of a stretch as JSON, in the columns that the page's diagram takes. */
public final class EventColumns {
  /** The most events in one answer. */
  public static final int MAX_EVENTS = HtmlReport.MAX_EVENTS;

  private EventColumns() {}

  /** The logs of services, without that in which recorders report on themselves. */
  public static Set<String> logs(View view) {
    return EventRange.logs(view);
  }

  /**
   * Reads the first events of a range, up to a number or until their texts are too long. The answer
   * states up to which stamp it is complete.
   *
   * @param logs to be read
   * @param most the number of events, from 1 to {@link #MAX_EVENTS}
   */
  public static String json(View view, HlcRange range, Set<String> logs, int most) {
    RecordedColumns columns = new RecordedColumns(view, range, logs, most);
    boolean isComplete = columns.read();
    return PageJson.object(
        out -> {
          columns.write(out);
          out.writeNumberProperty("count", columns.count());
          out.writeBooleanProperty("complete", isComplete);
          out.writeStringProperty("from", HlcTimestamp.text(range.from()));
          out.writeStringProperty("until", HlcTimestamp.text(columns.end()));
          KnownDoubts.write(out, view, new HlcRange(range.from(), columns.end()));
        });
  }
}
