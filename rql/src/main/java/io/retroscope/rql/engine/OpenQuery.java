// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.rql.cut.EventSource;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A checked statement for one run over the events that were stored when it was checked. Used by one
 * thread; must be closed.
 */
public final class OpenQuery implements AutoCloseable {
  private final PreparedQuery query;
  private final Moment moment;

  /**
   * The events at the time when they are first needed, which not every statement needs. Opening a
   * view may take requests to other servers.
   */
  static final class Moment implements AutoCloseable {
    private final EventSource source;
    private final Supplier<OptionalLong> present;
    private OptionalLong completeHlc = OptionalLong.empty();
    private EventSource.@Nullable View view;

    /**
     * A moment that is not fixed yet.
     *
     * @param present the stamp up to which everything is stored
     */
    Moment(EventSource source, Supplier<OptionalLong> present) {
      this.source = source;
      this.present = present;
    }

    EventSource.View view() {
      EventSource.View opened = view;
      if (opened == null) {
        // Before the view is opened, so that it contains every event up to this stamp.
        completeHlc = present.get();
        opened = source.open();
        view = opened;
      }
      return opened;
    }

    /** The stamp up to which everything was stored before the view was opened. */
    OptionalLong completeHlc() {
      return completeHlc;
    }

    @Override
    public void close() {
      EventSource.View opened = view;
      if (opened != null) {
        opened.close();
      }
    }
  }

  OpenQuery(PreparedQuery query, Moment moment) {
    this.query = query;
    this.moment = moment;
  }

  /** The statement. */
  public PreparedQuery query() {
    return query;
  }

  Moment moment() {
    return moment;
  }

  @Override
  public void close() {
    moment.close();
  }
}
