// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.rule.SoundscapeRules;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * A note sounds as soon as the watermark has passed its cut: it waits for no report of progress.
 */
class NoteStreamProgressTest {
  private final OutgoingEvents events = new OutgoingEvents(100_000, new MemoryBudget(1_000_000));
  private final StreamSink out =
      new StreamSink(
          false,
          events,
          "",
          new StreamSink.Parts(Duration.ofMillis(100), () -> 0, Metrics.unread(), new RowTexts()));

  @Test
  void reached_beyondTheRow_sendsItsNote() {
    String statement = "SELECT STREAM m FROM t PLAY wood NOTE 60";
    NoteStream notes =
        new NoteStream(
            SoundscapeRules.of(new RqlParser().parseScript(statement), PatchBank.standard()),
            List.of("a"),
            HlcTimestamp.MIN_PACKED,
            out);
    notes.columns(List.of(new Column("m", false)));
    notes.reached(HlcTimestamp.pack(1_000));
    boolean unused =
        notes.row(
            new Row(
                HlcTimestamp.pack(2_000),
                1,
                List.of(Value.of(7)),
                Optional.of(new Note("wood", 60, 96, 80_000, 0))));

    assertThat(received()).startsWith("event: row\n");
    notes.reached(HlcTimestamp.pack(2_000));
    assertThat(received()).isEmpty(); // More may happen in this microsecond.
    notes.reached(HlcTimestamp.pack(2_001));
    assertThat(received()).startsWith("event: note\n").contains("\"key\":60");
  }

  private String received() {
    return String.join("", WrittenEvents.takenFrom(events));
  }
}
