// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.server.live.MonotonicClock;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A sink that wants no more rows after some time, or once its client is gone. Used by one thread.
 */
final class TimedSink implements RowSink {
  private final RowSink rows;
  private final BooleanSupplier isGone;
  private final MonotonicClock clock;
  private final long end;

  /** A sink whose time begins now. */
  TimedSink(RowSink rows, BooleanSupplier isGone, MonotonicClock clock, Duration time) {
    this.rows = rows;
    this.isGone = isGone;
    this.clock = clock;
    this.end = clock.nanos() + time.toNanos();
  }

  /** Whether its time is over. */
  boolean isOverdue() {
    return clock.nanos() - end >= 0;
  }

  @Override
  public void columns(List<Column> columns) {
    rows.columns(columns);
  }

  @Override
  public boolean row(Row row) {
    return rows.row(row);
  }

  @Override
  public void warning(String message) {
    rows.warning(message);
  }

  @Override
  public boolean cancelled() {
    return isOverdue() || isGone.getAsBoolean();
  }
}
