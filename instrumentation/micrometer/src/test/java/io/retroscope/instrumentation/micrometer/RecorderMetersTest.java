// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.retroscope.event.EventBlock;
import io.retroscope.recorder.Recorder;
import io.retroscope.recorder.RecorderStatistics;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.SinkStatistics;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RecorderMetersTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  /** A sink with a backlog and losses. */
  private static final class Behind implements EventSink {
    @Override
    public void accept(EventBlock block) {}

    @Override
    public boolean flush(Duration timeout) {
      return true;
    }

    @Override
    public SinkStatistics statistics() {
      return new SinkStatistics(7, 5, 3, 2, 11, 13, "nowhere", "no reason");
    }

    @Override
    public void close() {}
  }

  @Test
  void meters_ofARecorder_areItsStatistics() {
    Recorder recorder = Recorder.builder().node("orders").sink(new Behind()).build();
    new RecorderMeters(recorder).bindTo(registry);
    recorder.log("setd").set("n".repeat(2_000), 1);
    assertThat(value("refused")).isEqualTo(1);
    assertThat(value("lost.by.sink")).isEqualTo(7);
    assertThat(value("delivered.blocks")).isEqualTo(5);
    assertThat(value("retries")).isEqualTo(3);
    assertThat(value("refused.blocks")).isEqualTo(2);
    assertThat(value("waiting.bytes")).isEqualTo(11);
    assertThat(value("spilled.bytes")).isEqualTo(13);
    assertThat(value("bound.at.risk")).isZero();
    assertThat(value("recording")).isEqualTo(1);
    recorder.close();
    recorder.log("setd").set("r1", 1);
    assertThat(value("recording")).isZero();
    assertThat(value("after.close")).isEqualTo(1);
  }

  @Test
  void meters_ofARecorder_includeEveryStatistic() {
    try (Recorder recorder = Recorder.builder().node("orders").sink(new Behind()).build()) {
      new RecorderMeters(recorder).bindTo(registry);
      Set<String> expected =
          Stream.of(RecorderStatistics.class.getRecordComponents())
              .map(RecordComponent::getName)
              .map(name -> name.replaceAll("([A-Z])", ".$1").toLowerCase(Locale.ROOT))
              .map(name -> "retroscope.recorder." + name)
              .collect(Collectors.toSet());
      assertThat(registry.getMeters())
          .extracting(meter -> meter.getId().getName())
          .containsAll(expected);
      assertThat(registry.getMeters())
          .extracting(meter -> meter.getId().getTag("node"))
          .containsOnly("orders");
    }
  }

  private double value(String name) {
    Meter meter = registry.get("retroscope.recorder." + name).tag("node", "orders").meter();
    return meter.measure().iterator().next().getValue();
  }
}
