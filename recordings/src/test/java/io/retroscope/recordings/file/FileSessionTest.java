// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.evaluation.QueryLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of sessions over files. */
class FileSessionTest {
  private static final List<Event> EVENTS = List.of(set(1_000, 1), set(2_000, 2), set(4_000, 3));

  @TempDir private Path folder;

  private static Event set(long micros, long value) {
    return new Event(
        "a",
        "l",
        HlcTimestamp.pack(micros),
        new EventBody.StateChange(
            List.of(new EventBody.Change(EventBody.Operation.SET, "x", Value.of(value)))));
  }

  private static Session open(Path file) throws IOException {
    return EventFileSet.of(file, events -> ClockOffsets.UNKNOWN).session(QueryLimits.DEFAULT);
  }

  @Test
  void run_block_givesRowsOfItsEvents() throws IOException {
    Path file = folder.resolve("events.rtsb");
    Files.write(file, EventBlockCodec.encode(EventBlock.of(EVENTS)));
    Rows rows = new Rows();

    try (Session session = open(file)) {
      session.run("SELECT x FROM l WHEN x@a >= 2", rows);
    }
    assertThat(rows.stamps).containsExactly(HlcTimestamp.pack(2_000), HlcTimestamp.pack(4_000));
  }

  @Test
  void open_ndjson_handsItsEventsToTheAlignment() throws IOException {
    Path file = folder.resolve("events.ndjson");
    Files.writeString(
        file,
        """
        {"node":"a","log":"l","hlc":1000,"set":{"x":1}}
        {"node":"a","hlc":2000,"heartbeat":true}
        """);
    List<Event> seen = new ArrayList<>();
    EventFileSet files =
        EventFileSet.of(
            file,
            events -> {
              events.forEach(seen::add);
              return ClockOffsets.UNKNOWN;
            });

    try (Session session = files.session(QueryLimits.DEFAULT)) {
      assertThat(seen).as("before a statement needs events").isEmpty();
      assertThat(session.target()).isEqualTo("events.ndjson");
      assertThat(session.catalog().nodeNames()).containsExactly("a");
    }
    assertThat(seen).hasSize(2);
  }

  @Test
  void open_brokenFile_saysWhereAndWhy() throws IOException {
    Path ndjson = folder.resolve("broken.ndjson");
    Files.writeString(ndjson, "{\"node\":\"a\",\"hlc\":1000,\"heartbeat\":true}\n{\"node\":1}\n");
    Path block = folder.resolve("broken.rtsb");
    byte[] bytes = EventBlockCodec.encode(EventBlock.of(EVENTS));
    Files.write(block, bytes);
    byte[] damaged = bytes.clone();
    damaged[bytes.length - 1] ^= 1;
    Files.write(block, damaged, StandardOpenOption.APPEND);
    Files.write(block, bytes, StandardOpenOption.APPEND);

    assertThatThrownBy(() -> open(ndjson).catalog())
        .isInstanceOf(ProblemException.class)
        .hasMessageContaining("broken.ndjson:2: field \"node\"");
    assertThatThrownBy(() -> open(ndjson).run("SELECT x FROM l", new Rows()))
        .isInstanceOfSatisfying(
            ProblemException.class, e -> assertThat(e.isOfStatement()).isFalse())
        .hasMessageContaining("broken.ndjson:2: field \"node\"");
    assertThatThrownBy(() -> open(block).catalog())
        .isInstanceOf(ProblemException.class)
        .hasMessageContaining("broken.rtsb: byte " + bytes.length + ": ");
    assertThatThrownBy(() -> open(folder.resolve("none"))).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void open_moreEventsThanFit_isRefused() throws IOException {
    Path file = folder.resolve("events.rtsb");
    Files.write(file, EventBlockCodec.encode(EventBlock.of(EVENTS)));

    assertThatThrownBy(() -> EventFile.read(file, new EventCollector(EVENTS.size() - 1)))
        .isInstanceOf(EventFileException.class)
        .hasMessageContaining(
            "more than 2 events are too many for memory: import them into a log server");
  }

  /** The stamps of the rows of an answer without warnings. */
  private static final class Rows implements RowSink {
    private final List<Long> stamps = new ArrayList<>();

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return stamps.add(row.hlc());
    }

    @Override
    public void warning(String message) {
      throw new AssertionError(message);
    }
  }
}
