// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.session;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.sonify.rule.LiveSoundscape;
import io.retroscope.sonify.rule.Rule;
import io.retroscope.sonify.rule.RuleRows;
import io.retroscope.sonify.soundscape.Origin;
import java.util.List;
import java.util.function.LongSupplier;

/** The rows of a live rule on their way to the soundscape. Used by one thread. */
final class LiveRuleSink implements RowSink {
  /*
   * The rows after a connection are history until the stamps advance at the pace of time: a server
   * that replays reports stamps that are seconds apart within milliseconds.
   */

  /** The difference between the advance of stamps and that of time that is not a replay. */
  private static final long TOLERANCE_MICROS = 500_000;

  /** A row this much before the stream's progress is late. */
  private static final long LATE_MICROS = 2_000_000;

  private final Rule rule;
  private final RuleRows rows;
  private final LiveSoundscape soundscape;
  private final Connections connections;
  private final RowSink printer;
  private final LongSupplier nanos;
  private boolean catchingUp = true;
  private boolean lost;
  private long historyRows;
  private long progressMicros = Long.MIN_VALUE / 2;
  private long progressNanos;
  private long sinceConnected;

  LiveRuleSink(
      Rule rule,
      LiveSoundscape soundscape,
      Connections connections,
      RowSink printer,
      LongSupplier nanos) {
    this.rule = rule;
    this.rows = new RuleRows(rule);
    this.soundscape = soundscape;
    this.connections = connections;
    this.printer = printer;
    this.nanos = nanos;
  }

  @Override
  public void columns(List<Column> columns) {
    rows.columns(columns);
    printer.columns(columns);
  }

  @Override
  public boolean row(Row row) {
    if (isPrinted()) {
      printer.row(row);
    }
    if (catchingUp) {
      historyRows++;
      rows.row(row, Origin.HISTORY, soundscape::addHistory);
    } else {
      boolean late = rows.stampMicros(row) < progressMicros - LATE_MICROS;
      rows.row(row, late ? Origin.LATE : Origin.LIVE, soundscape::add);
    }
    return !printer.cancelled();
  }

  /** An alarm has a row where it begins and where it ends. */
  private boolean isPrinted() {
    return rule.kind() == Rule.Kind.ROWS || rule.kind() == Rule.Kind.ALARM;
  }

  @Override
  public boolean late(Row row) {
    if (isPrinted()) {
      printer.late(row);
    }
    rows.row(row, Origin.LATE, soundscape::add);
    return !printer.cancelled();
  }

  @Override
  public void retracted(long row, long hlc) {
    if (isPrinted()) {
      printer.retracted(row, hlc);
    }
  }

  @Override
  public void notice(String sentence) {
    printer.notice(sentence);
  }

  @Override
  public void progress(long cuts, long hlc) {
    long micros = HlcTimestamp.micros(hlc);
    long now = nanos.getAsLong();
    boolean atPace =
        sinceConnected++ > 0
            && micros - progressMicros <= (now - progressNanos) / 1_000 + TOLERANCE_MICROS;
    progressMicros = micros;
    progressNanos = now;
    if (catchingUp && atPace) {
      catchingUp = false;
      connections.caughtUp(historyRows);
      historyRows = 0;
    }
    if (!catchingUp) {
      soundscape.progress(hlc);
    }
  }

  @Override
  public void disconnected() {
    lost = true;
    connections.disconnected(catchingUp);
    catchingUp = true;
  }

  @Override
  public void connected() {
    sinceConnected = 0;
    if (lost) {
      lost = false;
      connections.reconnected();
    }
  }

  @Override
  public void warning(String message) {
    printer.warning(message);
  }

  @Override
  public boolean cancelled() {
    return printer.cancelled();
  }
}
