// SPDX-License-Identifier: Apache-2.0
package io.retroscope.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.recordings.document.DocumentException;
import io.retroscope.recordings.document.DocumentFormat;
import io.retroscope.recordings.document.Documents;
import io.retroscope.recordings.replay.ClockReading;
import io.retroscope.recordings.replay.ClockReplay;
import io.retroscope.recordings.replay.MessageSurvey;
import io.retroscope.recordings.replay.ReadingSource;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.rql.json.NdjsonWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Any document of any format is refused with a sentence, or becomes events that can be stored. */
class DocumentFuzzTest {
  private static final NdjsonReader.Limits LIMITS = new NdjsonReader.Limits(1 << 22, 1 << 24);

  /** The first byte chooses the format, which otherwise is found by the content. */
  @FuzzTest(maxDuration = "2m")
  void read_document_isRefusedOrEvents(byte[] data) throws IOException {
    if (data.length == 0) {
      return;
    }
    byte[] text = Arrays.copyOfRange(data, 1, data.length);
    int choice = data[0] - '0';
    List<DocumentFormat> formats = List.of(DocumentFormat.values());
    Optional<DocumentFormat> format =
        choice >= 0 && choice < formats.size()
            ? Optional.of(formats.get(choice))
            : DocumentFormat.recognize(text);
    if (format.isPresent()) {
      read(format.get(), text);
    }
  }

  private static void read(DocumentFormat format, byte[] text) throws IOException {
    Documents documents = new Documents("app");
    try {
      documents.add("f", format, new ByteArrayInputStream(text));
    } catch (DocumentException e) {
      assertThat(e.reason()).isNotBlank();
      return;
    }
    MessageSurvey survey = new MessageSurvey();
    readings(documents).forEach(survey::add);
    Built built = new Built();
    ClockReplay replay = new ClockReplay(survey.solve(), built);
    for (ClockReading reading : readings(documents)) {
      replay.add(reading);
    }
    replay.finish();
    built.block.build();
  }

  private static List<ClockReading> readings(Documents documents) throws IOException {
    List<ClockReading> readings = new ArrayList<>();
    try (ReadingSource source = documents.open()) {
      for (ClockReading next = source.next(); next != null; next = source.next()) {
        assertThat(next.micros()).isBetween(0L, HlcTimestamp.MAX_MICROS);
        readings.add(next);
      }
      assertThat(source.reasons()).allSatisfy(reason -> assertThat(reason.sentence()).isNotBlank());
    }
    return readings;
  }

  /** Puts all events into a block, and reads each back as a line. */
  private static final class Built implements EventConsumer {
    private final EventBlockBuilder block = new EventBlockBuilder();

    @Override
    public void event(Event event) throws IOException {
      block.add(event);
      String line = NdjsonWriter.line(event);
      byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
      assertThat(
              new NdjsonReader(new ByteArrayInputStream(bytes), LIMITS)
                  .next()
                  .map(NdjsonWriter::line))
          .contains(line);
    }

    @Override
    public void gap(Gap gap) {
      throw new AssertionError("no document declares a loss");
    }

    @Override
    public void incomplete(Incompleteness reason) {
      assertThat(reason.sentence()).isNotBlank();
    }
  }
}
