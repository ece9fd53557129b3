// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.rule.LiveSoundscape;
import io.retroscope.sonify.rule.SoundscapeRules;
import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of which live rows sound. */
class LiveRuleSinkTest {
  private static final long START_MICROS = 1_795_200_000_000_000L;

  private final SoundscapeRules rules =
      SoundscapeRules.of(
          new RqlParser().parseScript("SELECT STREAM x FROM t PLAY glass"), PatchBank.standard());
  private final List<NoteEvent> notes = new ArrayList<>();
  private final Printed printed = new Printed();
  private final LiveSoundscape soundscape =
      new LiveSoundscape(
          rules.stateful(false), List.of(), NoteEvent::lengthMicros, () -> nanos(), notes::add);
  private final LiveRuleSink sink =
      new LiveRuleSink(
          rules.rules().get(0), soundscape, new Connections(soundscape, 1), printed, () -> nanos());
  private long millis;

  private long nanos() {
    return millis * 1_000_000;
  }

  @BeforeEach
  void connect() {
    sink.connected();
    sink.columns(List.of(new Column("x", false)));
    pass(0);
    pass(100);
  }

  /** Time passes, and the server reports its progress. */
  private void pass(long toMillis) {
    millis = toMillis;
    sink.progress(0, stamp(toMillis));
    soundscape.advance();
  }

  private static long stamp(long atMillis) {
    return HlcTimestamp.pack(START_MICROS + atMillis * 1_000);
  }

  private void row(long atMillis) {
    sink.row(
        new Row(
            stamp(atMillis),
            0,
            List.of(Value.of(1)),
            Optional.of(new Note("glass", 60, 96, 200_000, 0))));
  }

  private List<Tuple> marks() {
    return notes.stream()
        .filter(note -> note.layer() == Layer.MARK)
        .map(note -> Tuple.tuple(note.kind(), note.level()))
        .toList();
  }

  @Test
  void row_live_soundsAndIsPrinted() {
    row(150);
    pass(200);
    pass(300);
    assertThat(marks()).containsExactly(Tuple.tuple(NoteKind.MARK, 0.0));
    assertThat(printed.count).isEqualTo(1);
  }

  @Test
  void row_moreThanTwoSecondsBeforeTheProgress_isOnlyPrinted() {
    pass(5_000);
    row(2_900);
    row(3_100);
    pass(5_200);
    assertThat(marks()).containsExactly(Tuple.tuple(NoteKind.MARK, 0.0));
    assertThat(printed.count).isEqualTo(2);
  }

  @Test
  void late_andRetracted_arePrintedAndDoNotSound() {
    Row row = new Row(stamp(120), 0, List.of(Value.of(1)), Optional.empty());
    sink.late(row);
    sink.retracted(7, stamp(110));
    pass(200);
    pass(300);
    assertThat(marks()).isEmpty();
    assertThat(printed.late).containsExactly(row);
    assertThat(printed.retracted).containsExactly(stamp(110));
    sink.notice("up to date again");
    assertThat(printed.notices).containsExactly("up to date again");
  }

  @Test
  void reconnect_overTenThousandRows_isOneNote() {
    sink.disconnected();
    millis += 1_000;
    sink.connected();
    for (int i = 0; i < 10_000; i++) {
      row(200 + i);
      if (i % 1_000 == 999) {
        sink.progress(i, stamp(200 + i));
      }
    }
    pass(10_300);
    pass(10_400);
    pass(10_600);
    assertThat(marks()).containsExactly(Tuple.tuple(NoteKind.CAUGHT_UP, 10_000.0));
    assertThat(printed.count).isEqualTo(10_000);
    row(10_700);
    pass(11_000);
    assertThat(marks()).last().isEqualTo(Tuple.tuple(NoteKind.MARK, 0.0));
  }

  @Test
  void twoRules_lostTogether_areOneLossAndOneReturn() {
    LiveSoundscape both =
        new LiveSoundscape(
            rules.stateful(false), List.of(), NoteEvent::lengthMicros, () -> nanos(), notes::add);
    Connections connections = new Connections(both, 2);
    both.progress(stamp(millis));
    connections.caughtUp(0);
    connections.caughtUp(0);
    connections.disconnected(false);
    connections.disconnected(false);
    millis += 5_000;
    both.advance();
    connections.reconnected();
    assertThat(notes).extracting(NoteEvent::kind).containsExactly(NoteKind.LOST, NoteKind.LOST);
    connections.reconnected();
    connections.caughtUp(3);
    millis += 1_000;
    both.advance();
    assertThat(marks()).isEmpty();
    connections.caughtUp(4);
    assertThat(notes)
        .extracting(NoteEvent::kind)
        .containsExactly(
            NoteKind.LOST, NoteKind.LOST, NoteKind.BACK, NoteKind.BACK, NoteKind.CAUGHT_UP);
    assertThat(marks()).containsExactly(Tuple.tuple(NoteKind.CAUGHT_UP, 7.0));
  }

  @Test
  void row_ofAnAlarm_isPrintedAtItsBeginAndEnd() {
    SoundscapeRules alarms =
        SoundscapeRules.of(
            new RqlParser()
                .parseScript("SELECT STREAM x FROM t WHEN MAX(x) > 2 PLAY alarm AS ALARM"),
            PatchBank.standard());
    LiveSoundscape sounds =
        new LiveSoundscape(
            alarms.stateful(false), List.of(), NoteEvent::lengthMicros, () -> nanos(), notes::add);
    LiveRuleSink alarm =
        new LiveRuleSink(
            alarms.rules().get(0), sounds, new Connections(sounds, 1), printed, () -> nanos());
    alarm.columns(List.of(new Column("edge", true), new Column("x", false)));
    for (String edge : List.of("rise", "fall")) {
      List<Value> values = List.of(Value.of(edge), Value.of(3));
      alarm.row(new Row(stamp(millis), 0, values, Optional.empty()));
    }
    assertThat(printed.count).isEqualTo(2);
  }

  private static final class Printed implements RowSink {
    private int count;
    private final List<Row> late = new ArrayList<>();
    private final List<Long> retracted = new ArrayList<>();
    private final List<String> notices = new ArrayList<>();

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      count++;
      return true;
    }

    @Override
    public boolean late(Row row) {
      return late.add(row);
    }

    @Override
    public void retracted(long row, long hlc) {
      retracted.add(hlc);
    }

    @Override
    public void notice(String sentence) {
      notices.add(sentence);
    }

    @Override
    public void warning(String message) {
      throw new AssertionError(message);
    }
  }
}
