// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recordings.document.DocumentFormat;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that the true offset is in the interval that follows from spans alone, and that no message
 * between spans is received before it is sent.
 */
class SpanEvidenceTest {
  private static final int TRACES = 60;

  /** The sums of many runs. */
  private static final class Findings {
    private long checked;
    private long bounded;
    private double width;
    private long receives;

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%,d intervals, %.1f%% bounded, mean width %.3f ms, %,d receives",
          checked,
          100.0 * bounded / Math.max(1, checked),
          width / Math.max(1, bounded) / 1_000,
          receives);
    }
  }

  @Test
  void offsets_fromSpansAlone_areInTheirIntervals() throws IOException {
    run(0, 25);
  }

  @Test
  @Tag("slow")
  void offsets_fromSpansAloneOfManyRuns_areInTheirIntervals() throws IOException {
    run(0, 1_000);
  }

  private static void run(long first, int seeds) throws IOException {
    Findings spans = new Findings();
    Findings recorded = new Findings();
    for (long seed = first; seed < first + seeds; seed++) {
      SimulatedServices services = new SimulatedServices(seed, TRACES);
      String text = services.text(DocumentFormat.OTLP);
      SimulatedServices.Events events = SimulatedServices.read(DocumentFormat.OTLP, text);
      assertThat(events.sentences()).as("seed %d", seed).hasSize(1);
      check(services, events.all(), spans, seed);
      check(services, services.recorded().all(), recorded, seed);
    }
    System.out.printf("%d runs of spans: %s%n", seeds, spans);
    System.out.printf("%d runs of recorded messages: %s%n", seeds, recorded);
    assertThat(spans.receives).isGreaterThan(20L * seeds);
    assertThat(spans.bounded).isGreaterThan(spans.checked / 2);
  }

  private static void check(
      SimulatedServices services, List<Event> events, Findings findings, long seed) {
    Map<String, Long> sent = new HashMap<>();
    events.forEach(
        event -> {
          if (event.body() instanceof EventBody.Send send) {
            sent.put(send.id(), event.hlc());
          }
        });
    ClockAlignment alignment = new ClockAlignment(AlignmentSettings.DEFAULT);
    events.stream().sorted(Comparator.comparingLong(Event::hlc)).forEach(alignment::record);
    assertThat(alignment.steps()).as("seed %d: steps of clocks that have none", seed).isEmpty();
    ClockOffsets offsets = alignment.offsets();
    String reference = offsets.referenceNode().orElseThrow();
    for (Event event : events) {
      if (event.body() instanceof EventBody.Receive receive) {
        findings.receives++;
        assertThat(event.hlc())
            .as("seed %d: receive of %s", seed, receive.id())
            .isGreaterThan(sent.getOrDefault(receive.id(), Long.MAX_VALUE));
      }
      Optional<Offset> offset = offsets.offset(event.node(), event.hlc());
      boolean isExpiry =
          event.body() instanceof EventBody.LogLine line && line.fields().containsKey("expired");
      if (offset.isPresent()
          && event.hasPhysical()
          && event.physicalMicros() < SimulatedServices.START_MICROS + 1_800_000_000L
          && !isExpiry
          && !event.node().equals(reference)) {
        double truth = services.offsetMicros(reference, event.node(), event.physicalMicros());
        check(offset.get(), truth, findings, "seed %d: %s".formatted(seed, event));
      }
    }
  }

  private static void check(Offset offset, double truth, Findings findings, String what) {
    findings.checked++;
    if (offset.lowMicros().isPresent()) {
      assertThat(truth).as(what).isGreaterThanOrEqualTo((double) offset.lowMicros().getAsLong());
    }
    if (offset.highMicros().isPresent()) {
      assertThat(truth).as(what).isLessThanOrEqualTo((double) offset.highMicros().getAsLong());
    }
    if (offset.lowMicros().isPresent() && offset.highMicros().isPresent()) {
      findings.bounded++;
      findings.width += offset.highMicros().getAsLong() - offset.lowMicros().getAsLong();
    }
  }
}
