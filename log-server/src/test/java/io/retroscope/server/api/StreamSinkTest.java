// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class StreamSinkTest {
  /** The size of an event with a short row. */
  private static final long ROW_BYTES = 110;

  @Test
  void note_afterARow_isAnEventWithoutAnId() throws InterruptedException {
    StreamSink sink = sink(false, 10);
    sink.columns(List.of(new Column("x", false)));
    sink.place(new StreamPlace(HlcTimestamp.pack(3), HlcTimestamp.pack(5, 1), 2));
    sink.row(new Row(HlcTimestamp.pack(5, 1), 2, List.of(Value.of(7)), Optional.empty()));
    sink.note(
        new NoteEvent(
            HlcTimestamp.pack(5, 1),
            5,
            "1 wood",
            Layer.MARK,
            NoteKind.STRIKE,
            "zk1",
            2.5,
            "wood",
            60,
            96,
            80_000,
            -0.8));

    assertThat(drain(sink))
        .containsExactly(
            "event: row\nid: 3.0/5.1/2\ndata: {\"x\":7}\n\n",
            "event: note\ndata: {\"hlc\":\"5.1\",\"micros\":5,\"rule\":\"1 wood\","
                + "\"layer\":\"mark\",\"kind\":\"strike\",\"node\":\"zk1\",\"level\":2.5,"
                + "\"patch\":\"wood\",\"key\":60,\"velocity\":96,\"lengthMicros\":80000,"
                + "\"pan\":-0.8}\n\n");
  }

  @Test
  void row_ofEdges_isNamedEdge() throws InterruptedException {
    StreamSink sink = sink(false, 10);
    sink.columns(List.of(new Column("edge", true)));
    sink.row(row(5, 0));

    assertThat(drain(sink).get(0)).startsWith("event: edge\n");
  }

  @Test
  void row_clientReadsNone_endsTheQueryAndReportsIt() throws InterruptedException {
    StreamSink sink = sink(false, 3);
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
  void progress_andRetracted_areObjects() throws InterruptedException {
    StreamSink sink = sink(false, 10);
    sink.held(7);
    sink.progress(4, HlcTimestamp.pack(5, 1));
    sink.retracted(2, HlcTimestamp.pack(5));

    assertThat(drain(sink))
        .containsExactly(
            "event: progress\ndata: {\"cuts\":4,\"hlc\":\"5.1\",\"heldMicros\":7}\n\n",
            "event: retracted\ndata: {\"row\":\"2\",\"hlc\":\"5.0\"}\n\n");
  }

  @Test
  void end_limitReached_isTheLastEvent() throws InterruptedException {
    StreamSink sink = sink(false, 3);
    sink.end();

    assertThat(sink.isFinished()).isTrue();
    assertThat(drain(sink)).containsExactly("event: end\ndata: {\"end\":true}\n\n");
    assertThat(sink.farewell()).isEmpty();
  }

  @Test
  @Timeout(30)
  void poll_waitsWhenTheEndComes_isWokenUp() throws InterruptedException {
    StreamSink ended = sink(false, 3);
    ended.end();
    StreamSink broken = sink(true, 3);
    broken.goingDown();
    for (StreamSink sink : List.of(ended, broken)) {
      assertThat(sink.poll(0)).isPresent();
      assertThat(sink.poll(Long.MAX_VALUE)).isEmpty();
      assertThat(sink.isFinished()).isTrue();
    }
  }

  @Test
  void notice_withReasons_hasThemAsObjects() throws InterruptedException {
    StreamSink sink = sink(false, 10);
    sink.notice("up to date again", List.of());
    sink.notice(
        "not up to date", List.of(new Incompleteness.MissingBlocks("n1", HlcTimestamp.pack(5), 2)));

    assertThat(drain(sink))
        .containsExactly(
            "event: notice\ndata: {\"notice\":\"up to date again\"}\n\n",
            "event: notice\ndata: {\"notice\":\"not up to date\",\"incomplete\":["
                + "{\"kind\":\"missing\",\"sentence\":\"2 blocks of node n1 after"
                + " 1970-01-01T00:00:00.000005Z have not arrived\",\"nodes\":[\"n1\"],"
                + "\"from\":\"5.0\",\"count\":2}]}\n\n");
  }

  private static StreamSink sink(boolean lossless, int rows) {
    return new StreamSink(
        lossless,
        new OutgoingEvents(rows * ROW_BYTES, new MemoryBudget(1 << 20)),
        "",
        Duration.ofMillis(50),
        () -> 0,
        Metrics.unread());
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
