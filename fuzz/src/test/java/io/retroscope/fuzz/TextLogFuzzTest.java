// SPDX-License-Identifier: Apache-2.0
package io.retroscope.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.recordings.replay.ClockReading;
import io.retroscope.recordings.replay.ClockReplay;
import io.retroscope.recordings.replay.MessageSurvey;
import io.retroscope.recordings.replay.ReadingSource;
import io.retroscope.recordings.textlog.FormatCatalog;
import io.retroscope.recordings.textlog.FormatException;
import io.retroscope.recordings.textlog.MessageRules;
import io.retroscope.recordings.textlog.NodeNaming;
import io.retroscope.recordings.textlog.TextLog;
import io.retroscope.recordings.textlog.TextLogSettings;
import io.retroscope.recordings.textlog.Vocabulary;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Any definition and any lines are refused with a sentence, or become events that can be stored.
 */
class TextLogFuzzTest {
  private static final ZoneId ZONE = ZoneId.of("Europe/Berlin");
  private static final long CHANGED_MICROS = 1_795_200_000_000_000L;

  private static final MessageRules RULES =
      MessageRules.of(
          List.of("(?<v>\\w+)=(?<w>\\d*)"),
          List.of("send (?<id>\\S*)(?: (?<peer>\\S*))?"),
          List.of("got (?<id>\\S*)"));

  /** The bytes up to a zero are the definitions; the rest is a log. */
  @FuzzTest(maxDuration = "2m")
  void read_definitionsAndLines_areRefusedOrEvents(byte[] data) throws IOException {
    int zero = 0;
    while (zero < data.length && data[zero] != 0) {
      zero++;
    }
    String definitions = new String(data, 0, zero, StandardCharsets.UTF_8);
    int from = Math.min(data.length, zero + 1);
    byte[] lines = java.util.Arrays.copyOfRange(data, from, data.length);
    try {
      read(lines, settings(catalog(definitions)));
    } catch (FormatException e) {
      assertThat(e.reason()).isNotBlank();
    }
  }

  private static FormatCatalog catalog(String definitions) {
    return definitions.isBlank()
        ? FormatCatalog.BUILT_IN
        : FormatCatalog.with("formats.json", definitions);
  }

  private static TextLogSettings settings(FormatCatalog catalog) {
    return new TextLogSettings(
        catalog,
        Optional.empty(),
        Optional.of(ZONE),
        Map.of(),
        NodeNaming.BY_FILE,
        TextLogSettings.DEFAULT_LOG,
        RULES);
  }

  private static void read(byte[] lines, TextLogSettings settings) throws IOException {
    Optional<TextLog> found = TextLog.recognize("a.log", lines, settings);
    if (found.isEmpty()) {
      assertThat(TextLog.unknown("a.log", lines, settings)).contains("formats --explain");
      return;
    }
    TextLog log = found.get().of("a");
    if (log.leavesOut()) {
      log = log.anchored(new ByteArrayInputStream(lines), CHANGED_MICROS);
    }
    Vocabulary vocabulary = Vocabulary.learning();
    MessageSurvey survey = new MessageSurvey();
    readings(log, lines, vocabulary).forEach(survey::add);
    vocabulary.learned(survey.nodes());
    Built built = new Built();
    ClockReplay replay = new ClockReplay(survey.solve(), built);
    for (ClockReading reading : readings(log, lines, vocabulary)) {
      replay.add(reading);
    }
    replay.finish();
    built.block.build();
  }

  private static List<ClockReading> readings(TextLog log, byte[] lines, Vocabulary vocabulary)
      throws IOException {
    List<ClockReading> readings = new ArrayList<>();
    try (ReadingSource source = log.open(new ByteArrayInputStream(lines), vocabulary)) {
      for (ClockReading next = source.next(); next != null; next = source.next()) {
        assertThat(next.micros()).isBetween(0L, HlcTimestamp.MAX_MICROS);
        readings.add(next);
      }
      assertThat(source.reasons()).allSatisfy(reason -> assertThat(reason.sentence()).isNotBlank());
    }
    return readings;
  }

  /** Puts all events into a block. */
  private static final class Built implements EventConsumer {
    private final EventBlockBuilder block = new EventBlockBuilder();

    @Override
    public void event(Event event) {
      block.add(event);
    }

    @Override
    public void gap(Gap gap) {
      throw new AssertionError("no text log declares a loss");
    }

    @Override
    public void incomplete(Incompleteness reason) {
      assertThat(reason.sentence()).isNotBlank();
    }
  }
}
