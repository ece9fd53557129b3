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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class StreamSinkTest {
  /** The size of an event with a short row. */
  private static final long ROW_BYTES = 110;

  private OutgoingEvents events = new OutgoingEvents(0, new MemoryBudget(1));

  @Test
  void note_afterARow_isAnEventWithoutAnId() {
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

    assertThat(drain())
        .containsExactly(
            "event: row\nid: 3.0/5.1/2\ndata: {\"x\":7}\n\n",
            "event: note\ndata: {\"hlc\":\"5.1\",\"micros\":5,\"rule\":\"1 wood\","
                + "\"layer\":\"mark\",\"kind\":\"strike\",\"node\":\"zk1\",\"level\":2.5,"
                + "\"patch\":\"wood\",\"key\":60,\"velocity\":96,\"lengthMicros\":80000,"
                + "\"pan\":-0.8}\n\n");
  }

  @Test
  void row_ofEdges_isNamedEdge() {
    StreamSink sink = sink(false, 10);
    sink.columns(List.of(new Column("edge", true)));
    sink.row(row(5, 0));

    assertThat(drain().get(0)).startsWith("event: edge\n");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void row_clientDoesNotKeepUp_isToldWhichItLostAndGetsTheNext(boolean lossless) {
    StreamSink sink = sink(lossless, 20);
    sink.setPatient(false);
    sink.columns(List.of(new Column("x", false)));
    for (int i = 0; i < 40; i++) {
      sink.place(new StreamPlace(HlcTimestamp.pack(0), HlcTimestamp.pack(i), 1));
      assertThat(sink.row(row(i, 0))).isTrue();
    }
    sink.progress(40, HlcTimestamp.pack(50));
    sink.reached(HlcTimestamp.pack(50)); // Nothing was read, so that there is no room.
    List<String> before = drain();
    int firstLost = rows(before);
    sink.reached(HlcTimestamp.pack(60));
    List<String> told = drain();
    sink.row(row(70, 0));

    assertThat(sink.cancelled()).isFalse();
    assertThat(firstLost).isBetween(2, 20);
    assertThat(before).noneMatch(event -> event.contains("not sent") || event.contains("50.0"));
    assertThat(told).hasSize(2);
    assertThat(told.get(1)).contains("progress").contains("\"hlc\":\"50.0\"");
    assertThat(told.get(0))
        .contains("%d events were not sent".formatted(40 - firstLost))
        .contains("rows from %d.0 to 39.0 may be missing".formatted(firstLost));
    if (!lossless) {
      assertThat(told.get(0))
          .startsWith("event: lost\ndata: {\"warning\":\"")
          .contains("\"from\":\"%d.0\",\"until\":\"39.0\"".formatted(firstLost));
    }
    assertThat(rows(drain())).isEqualTo(1);
  }

  /** Otherwise the client would believe that it lost a stamp only. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void lost_withoutRoom_isPartOfTheNextReport(boolean lossless) {
    StreamSink sink = full(lossless);
    sink.lost(HlcTimestamp.pack(20), HlcTimestamp.pack(70), "events came too late");
    drain();
    sink.reached(HlcTimestamp.pack(100));

    List<String> received = drain();
    assertThat(received).hasSize(1);
    assertThat(received.get(0)).contains("rows from 20.0 to 90.0 may be missing");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void notice_withoutRoom_isSentBeforeTheNextRow(boolean lossless) {
    StreamSink sink = full(lossless);
    sink.notice("not up to date");
    sink.notice("up to date again");
    drain();
    sink.row(row(95, 0));

    List<String> received = drain();
    assertThat(received).hasSize(3);
    assertThat(received.get(0)).contains("not sent");
    assertThat(received.get(1)).contains("notice").contains("up to date again");
    assertThat(received.get(2)).contains("rise");
  }

  @Test
  void notice_withoutRoomBeforeTheEnd_isSentAllTheSame() {
    StreamSink sink = full(false);
    sink.notice("not up to date");
    sink.end();

    String received = String.join("", drain());
    assertThat(received.indexOf("not up to date"))
        .isGreaterThan(received.indexOf("event: lost"))
        .isLessThan(received.indexOf("event: end"));
  }

  /** A client that resumes there would receive the row twice. */
  @Test
  void progress_withoutRoomBeforeARow_isNotSentAfterIt() {
    StreamSink sink = full(false);
    sink.reached(HlcTimestamp.pack(90));
    sink.place(new StreamPlace(HlcTimestamp.pack(0), HlcTimestamp.pack(90), 1));
    sink.progress(1, HlcTimestamp.pack(90));
    drain();
    sink.place(new StreamPlace(HlcTimestamp.pack(0), HlcTimestamp.pack(91), 1));
    sink.row(row(91, 0));
    sink.reached(HlcTimestamp.pack(91));

    assertThat(drain()).noneMatch(event -> event.contains("event: progress"));
  }

  /** A sink whose queue has no room, and that has lost the row at 90 µs. */
  private StreamSink full(boolean lossless) {
    StreamSink sink = sink(lossless, 20);
    sink.setPatient(false);
    sink.columns(List.of(new Column("x", false)));
    fill(sink, 90);
    return sink;
  }

  private static void fill(StreamSink sink, long micros) {
    for (int i = 0; i < 40; i++) {
      sink.row(row(micros, 0));
    }
  }

  private static int rows(List<String> events) {
    return (int) events.stream().filter(event -> event.contains("rise")).count();
  }

  /** Otherwise the client would take the end for the end of all rows. */
  @Test
  void end_afterLostRows_isToldAfterThem() {
    StreamSink sink = sink(false, 3);
    for (int i = 0; i < 5; i++) {
      sink.row(row(i, 0));
    }
    sink.goingDown();

    List<String> received = drain();
    assertThat(received).hasSize(5);
    assertThat(received.get(3)).startsWith("event: lost\n").contains("\"from\":\"3.0\"");
    assertThat(received.get(4)).startsWith("event: problem\n");
  }

  @Test
  void progress_andRetracted_areObjects() {
    StreamSink sink = sink(false, 10);
    sink.held(7);
    sink.progress(4, HlcTimestamp.pack(5, 1));
    sink.retracted(2, HlcTimestamp.pack(5));

    assertThat(drain())
        .containsExactly(
            "event: progress\ndata: {\"cuts\":4,\"hlc\":\"5.1\",\"heldMicros\":7}\n\n",
            "event: retracted\ndata: {\"row\":\"2\",\"hlc\":\"5.0\"}\n\n");
  }

  @Test
  void end_limitReached_isTheLastEvent() {
    StreamSink sink = sink(false, 3);
    sink.end();

    assertThat(drain()).containsExactly("event: end\ndata: {\"end\":true}\n\n");
    assertThat(events.isDone()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void end_nothingElseWaits_isReported(boolean lossless) {
    StreamSink sink = sink(lossless, 3);
    AtomicInteger calls = new AtomicInteger();
    events.readBy(calls::incrementAndGet);
    sink.goingDown();

    assertThat(calls).hasPositiveValue();
    assertThat(drain()).hasSize(1);
    assertThat(events.isDone()).isTrue();
  }

  @Test
  void notice_withReasons_hasThemAsObjects() {
    StreamSink sink = sink(false, 10);
    sink.notice("up to date again", List.of());
    sink.notice(
        "not up to date", List.of(new Incompleteness.MissingBlocks("n1", HlcTimestamp.pack(5), 2)));

    assertThat(drain())
        .containsExactly(
            "event: notice\ndata: {\"notice\":\"up to date again\"}\n\n",
            "event: notice\ndata: {\"notice\":\"not up to date\",\"incomplete\":["
                + "{\"kind\":\"missing\",\"sentence\":\"2 blocks of node n1 after"
                + " 1970-01-01T00:00:00.000005Z have not arrived\",\"nodes\":[\"n1\"],"
                + "\"from\":\"5.0\",\"count\":2}]}\n\n");
  }

  private StreamSink sink(boolean lossless, int rows) {
    events = new OutgoingEvents(rows * ROW_BYTES, new MemoryBudget(1 << 20));
    return new StreamSink(
        lossless,
        events,
        "",
        new StreamSink.Parts(Duration.ofMillis(50), () -> 0, Metrics.unread(), new RowTexts()));
  }

  private static Row row(long micros, int ordinal) {
    return new Row(HlcTimestamp.pack(micros), ordinal, List.of(Value.of("rise")), Optional.empty());
  }

  private List<String> drain() {
    return WrittenEvents.takenFrom(events);
  }
}
