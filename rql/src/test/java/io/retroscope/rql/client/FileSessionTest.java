// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.file.EventCollector;
import io.retroscope.rql.file.EventFile;
import io.retroscope.rql.file.EventFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSessionTest extends SessionContract {
  @TempDir private Path folder;

  @Override
  Session open() throws IOException {
    Path file = folder.resolve("events.rtsb");
    Files.write(file, EventBlockCodec.encode(EventBlock.of(EVENTS)));
    return open(file);
  }

  private static Session open(Path file) throws IOException {
    return FileSession.open(file, events -> ClockOffsets.UNKNOWN, QueryLimits.DEFAULT);
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

    try (Session session =
        FileSession.open(
            file,
            events -> {
              events.forEach(seen::add);
              return ClockOffsets.UNKNOWN;
            },
            QueryLimits.DEFAULT)) {
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
            "more than 5 events are too many for memory: import them into a log server");
  }

  @Test
  void run_stream_isRefusedWithHelp() throws IOException {
    try (Session session = open()) {
      assertThatThrownBy(() -> session.run("SELECT STREAM r1 FROM setd", new CollectingSink()))
          .isInstanceOfSatisfying(
              RqlException.class, e -> assertThat(e.diagnostics().get(0).help()).isPresent());
    }
  }
}
