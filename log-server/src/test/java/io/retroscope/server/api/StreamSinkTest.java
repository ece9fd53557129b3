package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.engine.Column;
import io.retroscope.rql.engine.Note;
import io.retroscope.rql.engine.Row;
import io.retroscope.server.metrics.Metrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class StreamSinkTest {
  @Test
  void row_withNote_isTwoEventsOfWhichOneHasAnId() throws InterruptedException {
    StreamSink sink = sink(false, Optional.empty(), 10);
    sink.columns(List.of(new Column("x", false)));
    sink.row(
        new Row(
            HlcTimestamp.pack(5, 1),
            2,
            List.of(Value.of(7)),
            Optional.of(new Note("woodblock", 60, 96, 200_000))));

    assertThat(drain(sink))
        .containsExactly(
            "event: row\nid: 5.1/2\ndata: {\"x\":7}\n\n",
            "event: note\ndata: {\"instrument\":\"woodblock\",\"note\":60,\"velocity\":96,"
                + "\"lengthMicros\":200000}\n\n");
  }

  @Test
  void row_ofEdges_isNamedEdge() throws InterruptedException {
    StreamSink sink = sink(false, Optional.empty(), 10);
    sink.columns(List.of(new Column("edge", true)));
    sink.row(row(5, 0));

    assertThat(drain(sink).get(0)).startsWith("event: edge\n");
  }

  @Test
  void row_upToTheResumedOne_isLeftOut() throws InterruptedException {
    StreamSink sink = sink(true, Optional.of(new StreamSink.RowId(HlcTimestamp.pack(5), 1)), 10);
    for (Row row : List.of(row(4, 0), row(5, 0), row(5, 1), row(5, 2), row(6, 0))) {
      assertThat(sink.row(row)).isTrue();
    }

    assertThat(drain(sink))
        .extracting(event -> event.lines().skip(1).findFirst().orElse(""))
        .containsExactly("id: 5.0/2", "id: 6.0/0");
  }

  @Test
  void row_nobodyTakesAny_endsTheQueryAndSaysSo() throws InterruptedException {
    StreamSink sink = sink(false, Optional.empty(), 3);
    int taken = 0;
    while (sink.row(row(taken, 0))) {
      taken++;
    }

    assertThat(taken).isEqualTo(3);
    assertThat(sink.cancelled()).isTrue();
    assertThat(sink.isFinished()).isTrue();
    assertThat(drain(sink)).hasSize(3);
    assertThat(sink.farewell().orElse("")).startsWith("event: lost\n").contains("Last-Event-ID");
  }

  @Test
  void end_limitReached_isTheLastEvent() throws InterruptedException {
    StreamSink sink = sink(false, Optional.empty(), 3);
    sink.end();

    assertThat(sink.isFinished()).isTrue();
    assertThat(drain(sink)).containsExactly("event: end\ndata: {\"end\":true}\n\n");
    assertThat(sink.farewell()).isEmpty();
  }

  @Test
  @Timeout(30)
  void poll_waitsWhenTheEndComes_isWokenUp() throws InterruptedException {
    StreamSink ended = sink(false, Optional.empty(), 3);
    ended.end();
    StreamSink broken = sink(true, Optional.empty(), 3);
    broken.goingDown();
    for (StreamSink sink : List.of(ended, broken)) {
      assertThat(sink.poll(0)).isPresent();
      assertThat(sink.poll(Long.MAX_VALUE)).isEmpty();
      assertThat(sink.isFinished()).isTrue();
    }
  }

  private static StreamSink sink(
      boolean lossless, Optional<StreamSink.RowId> resumeAfter, int queueCount) {
    return new StreamSink(
        lossless, resumeAfter, queueCount, Duration.ofMillis(50), () -> 0, Metrics.unread());
  }

  private static Row row(long micros, int ordinal) {
    return new Row(HlcTimestamp.pack(micros), ordinal, List.of(Value.of("rise")), Optional.empty());
  }

  private static List<String> drain(StreamSink sink) throws InterruptedException {
    List<String> events = new ArrayList<>();
    for (Optional<String> e = sink.poll(0); e.isPresent(); e = sink.poll(0)) {
      events.add(e.get());
    }
    return events;
  }
}
