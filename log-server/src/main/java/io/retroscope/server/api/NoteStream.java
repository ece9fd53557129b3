// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.server.live.LiveSink;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.rule.Rule;
import io.retroscope.sonify.rule.RuleRows;
import io.retroscope.sonify.rule.SoundscapeRules;
import io.retroscope.sonify.rule.StampedSoundscape;
import io.retroscope.sonify.soundscape.Origin;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * The notes of a live statement with PLAY, sent as events between its rows. Rows up to the
 * watermark at which the client connected are history, which sets states and makes one note.
 */
final class NoteStream implements LiveSink {
  private final StreamSink out;
  private final Rule rule;
  private final RuleRows rows;
  private final StampedSoundscape soundscape;
  private final long liveFrom;
  private boolean catchingUp = true;
  private long historyRows;
  private Map<String, Long> dropped = Map.of();

  /** Whether a value cannot sound, which was the last event. */
  private boolean refused;

  /**
   * The notes of one rule.
   *
   * @param nodes known now; each gets a place
   * @param liveFrom the watermark: rows above it sound
   */
  NoteStream(SoundscapeRules rules, Collection<String> nodes, long liveFrom, StreamSink out) {
    this.out = out;
    this.rule = rules.rules().get(0);
    this.rows = new RuleRows(rule);
    this.liveFrom = liveFrom;
    PatchBank bank = PatchBank.standard();
    this.soundscape =
        new StampedSoundscape(
            rules, nodes, note -> bank.tailMicros(note.patch(), note.lengthMicros()), out::note);
  }

  /** The soundscape, for the state before the first row. */
  StampedSoundscape soundscape() {
    return soundscape;
  }

  @Override
  public void columns(List<Column> columns) {
    rows.columns(columns);
    if (rule.kind() == Rule.Kind.ROWS) {
      out.columns(columns);
    }
  }

  @Override
  public boolean row(Row row) {
    boolean wanted = rule.kind() != Rule.Kind.ROWS || out.row(row);
    try {
      sound(row);
    } catch (IllegalArgumentException e) {
      refused = true;
      out.refused(String.valueOf(e.getMessage()));
      return false;
    }
    return wanted && !out.cancelled();
  }

  private void sound(Row row) {
    if (row.hlc() <= liveFrom) {
      historyRows++;
      rows.row(row, Origin.HISTORY, soundscape::addHistory);
    } else {
      caughtUp();
      soundscape.progress(row.hlc());
      rows.row(row, Origin.LIVE, soundscape::add);
    }
  }

  private void caughtUp() {
    if (catchingUp) {
      catchingUp = false;
      soundscape.caughtUp(liveFrom, historyRows);
    }
  }

  @Override
  public void reached(long hlc) {
    if (hlc > HlcTimestamp.MIN_PACKED && !refused) {
      caughtUp();
      soundscape.progress(hlc);
    }
    out.reached(hlc);
  }

  @Override
  public void setPatient(boolean isPatient) {
    out.setPatient(isPatient);
  }

  @Override
  public void progress(long cuts, long hlc) {
    reportDropped();
    out.progress(cuts, hlc);
  }

  private void reportDropped() {
    Map<String, Long> now = soundscape.dropped();
    if (!now.equals(dropped)) {
      now.forEach(out::dropped);
      dropped = now;
    }
  }

  @Override
  public void end() {
    if (!refused) {
      soundscape.end();
      reportDropped();
      out.end();
    }
  }

  @Override
  public void place(StreamPlace place) {
    out.place(place);
  }

  @Override
  public void held(long micros) {
    out.held(micros);
  }

  @Override
  public boolean late(Row row) {
    return rule.kind() == Rule.Kind.ROWS ? out.late(row) : row(row);
  }

  @Override
  public void retracted(long row, long hlc) {
    if (rule.kind() == Rule.Kind.ROWS) {
      out.retracted(row, hlc);
    }
  }

  @Override
  public void lost(long from, long until, String message) {
    out.lost(from, until, message);
  }

  @Override
  public void warning(String message) {
    out.warning(message);
  }

  @Override
  public void notice(String sentence) {
    out.notice(sentence);
  }

  @Override
  public void notice(String sentence, List<Incompleteness> reasons) {
    out.notice(sentence, reasons);
  }

  @Override
  public boolean cancelled() {
    return out.cancelled();
  }

  @Override
  public void failed(RqlException reason) {
    out.failed(reason);
  }

  @Override
  public void broken(String reason) {
    out.broken(reason);
  }

  @Override
  public void goingDown() {
    out.goingDown();
  }
}
