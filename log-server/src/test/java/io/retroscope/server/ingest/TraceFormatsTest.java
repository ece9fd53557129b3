// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recordings.document.DocumentFormat;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.server.align.SimulatedServices;
import io.retroscope.server.memory.MemoryBudget;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that one run has the same events, whichever format its spans have. */
class TraceFormatsTest {
  private static final int SEEDS = 20;
  private static final int TRACES = 12;

  private static List<String> lines(DocumentFormat format, String text) throws IOException {
    SimulatedServices.Events events = SimulatedServices.read(format, text);
    return Stream.concat(
            events.all().stream().map(NdjsonWriter::line).sorted(), events.sentences().stream())
        .toList();
  }

  @Test
  void formats_ofTheSameRun_haveTheSameEvents() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      SimulatedServices services = new SimulatedServices(seed, TRACES);
      List<String> otlp = lines(DocumentFormat.OTLP, services.text(DocumentFormat.OTLP));

      assertThat(otlp).as("seed %d", seed).hasSizeGreaterThan(4 * TRACES);
      assertThat(lines(DocumentFormat.OTLP, services.otlp(true)))
          .as("seed %d: one document per line", seed)
          .isEqualTo(otlp);
      for (DocumentFormat format : List.of(DocumentFormat.JAEGER, DocumentFormat.ZIPKIN)) {
        String text = services.text(format);
        assertThat(DocumentFormat.recognize(text.getBytes(StandardCharsets.UTF_8)))
            .as("seed %d", seed)
            .contains(format);
        assertThat(lines(format, text)).as("seed %d: %s", seed, format).isEqualTo(otlp);
      }
    }
  }

  /** A server has no messages between spans, so its stamps are those of the clocks. */
  @Test
  void fileAndRequest_haveTheSameLinesAndStates() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      String text = new SimulatedServices(seed, TRACES).text(DocumentFormat.OTLP);
      OtlpBatch batch =
          new OtlpReader(64 << 20)
              .read(
                  OtlpSignal.SPANS,
                  Optional.empty(),
                  text.getBytes(StandardCharsets.UTF_8),
                  new MemoryBudget(1L << 30).charge());

      assertThat(batch.rejected()).isZero();
      assertThat(perNode(batch.placed().stream().map(placed -> placed.event())))
          .as("seed %d", seed)
          .isEqualTo(
              perNode(
                  SimulatedServices.read(DocumentFormat.OTLP, text).all().stream()
                      .filter(
                          event ->
                              !(event.body() instanceof EventBody.Send)
                                  && !(event.body() instanceof EventBody.Receive))));
    }
  }

  private static List<String> perNode(Stream<Event> events) {
    return events
        .sorted(java.util.Comparator.comparing(Event::node).thenComparingLong(Event::hlc))
        .map(event -> event.node() + " " + event.body())
        .toList();
  }

  @Test
  void times_ofFileAndRequest_areThose_ofTheClocks() throws IOException {
    String text = new SimulatedServices(3, TRACES).text(DocumentFormat.OTLP);
    OtlpBatch batch =
        new OtlpReader(64 << 20)
            .read(
                OtlpSignal.SPANS,
                Optional.empty(),
                text.getBytes(StandardCharsets.UTF_8),
                new MemoryBudget(1L << 30).charge());
    List<Event> file = SimulatedServices.read(DocumentFormat.OTLP, text).all();

    assertThat(
            batch.placed().stream()
                .map(placed -> HlcTimestamp.micros(placed.event().hlc()))
                .distinct()
                .sorted())
        .containsAll(
            file.stream()
                .filter(Event::hasPhysical)
                .filter(event -> event.body() instanceof EventBody.LogLine)
                .map(Event::physicalMicros)
                .toList());
  }
}
