// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StampClashTest {
  @TempDir private Path folder;

  private static String line(String node, String log, String hlc, String rest) {
    return "{\"node\":\"%s\",\"log\":\"%s\",\"hlc\":\"%s\",%s}".formatted(node, log, hlc, rest);
  }

  private static String said(String node, String log, String hlc, String message) {
    return line(node, log, hlc, "\"message\":\"" + message + "\"");
  }

  private Path write(String name, String... lines) throws IOException {
    return Files.writeString(folder.resolve(name), String.join("\n", lines) + "\n");
  }

  private static EventFileSet set(long maxMemoryBytes, Path... files) throws IOException {
    return new EventFileSet(
        List.of(files),
        new EventFileSet.Settings(
            events -> ClockOffsets.UNKNOWN,
            EventFile.ClockText.NONE,
            EventFileSet.Listener.NONE,
            Optional.empty(),
            InputStream.nullInputStream(),
            maxMemoryBytes,
            InputSettings.DEFAULT));
  }

  private static List<Event> read(long maxMemoryBytes, Path... files) throws IOException {
    try (LazyEventSource source = set(maxMemoryBytes, files).source();
        EventSource.View view = source.open()) {
      List<Event> events = new ArrayList<>();
      view.scan(Set.of("app", "net"), HlcRange.ALL).forEachRemaining(events::add);
      return events;
    }
  }

  private void assertRefused(long maxMemoryBytes, String places, Path... files) throws IOException {
    assertThatThrownBy(() -> read(maxMemoryBytes, files))
        .isInstanceOf(EventFileException.class)
        .hasMessageStartingWith(
            "node \"a\" has two different events at 1000.0, %s: the stamps of a node's run are distinct; give each event its own"
                .formatted(places));
    assertThatThrownBy(() -> set(maxMemoryBytes, files).readAll(new EventCollector()))
        .isInstanceOf(EventFileException.class)
        .hasMessageContaining(places);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1 << 20})
  void read_differentEventsOfOneLog_namesBothLines(long memory) throws IOException {
    Path file =
        write(
            "one.ndjson",
            said("a", "app", "1000.0", "first"),
            said("b", "app", "1000.0", "of another node"),
            "",
            said("a", "app", "1000.0", "second"));
    assertRefused(memory, file + ":1 and " + file + ":4", file);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1 << 20})
  void read_eventsOfTwoLogs_namesBothLines(long memory) throws IOException {
    Path file =
        write(
            "two.ndjson",
            said("a", "app", "2000.0", "later"),
            line("a", "net", "1000.0", "\"send\":{\"id\":\"q\"}"),
            line("a", "app", "1000.0", "\"set\":{\"x\":1}"));
    assertRefused(memory, file + ":2 and " + file + ":3", file);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1 << 20})
  void read_differentEventsOfTwoFiles_namesBothFiles(long memory) throws IOException {
    Path one = write("one.ndjson", said("a", "app", "1000.0", "same"));
    Path same =
        write(
            "same.ndjson", said("a", "app", "500.0", "early"), said("a", "app", "1000.0", "same"));
    Path other =
        write("other.ndjson", said("a", "app", "900.0", "x"), said("a", "app", "1000.0", "other"));
    assertRefused(memory, one + ":1 and " + other + ":2", one, same, other);
    assertThat(read(memory, one, same)).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1 << 20})
  void read_sameEventAgain_countsOnce(long memory) throws IOException {
    Path file =
        write(
            "again.ndjson",
            said("a", "app", "1000.0", "first"),
            said("a", "app", "1000.0", "first"),
            said("a", "app", "1000.1", "first"));
    Path numbered =
        write("numbered.ndjson", line("a", "app", "1000.0", "\"seq\":7,\"message\":\"first\""));
    assertThat(read(memory, file)).hasSize(2);
    assertThat(read(memory, numbered, file)).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1 << 20})
  void read_eventsOfTwoRuns_areBothKept(long memory) throws IOException {
    Path file =
        write(
            "runs.ndjson",
            line("a", "app", "1000.0", "\"incarnation\":\"r1\",\"set\":{\"x\":1}"),
            line("a", "app", "1000.0", "\"incarnation\":\"r2\",\"set\":{\"x\":2}"));
    Path unnamed = write("unnamed.ndjson", line("a", "app", "1000.0", "\"set\":{\"x\":3}"));
    assertThat(read(memory, file)).hasSize(2);
    assertRefused(memory, file + ":1 and " + unnamed + ":1", file, unnamed);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1 << 20})
  void read_heartbeatAtTheStampOfAnEvent_isNoContradiction(long memory) throws IOException {
    Path file =
        write(
            "heartbeat.ndjson",
            said("a", "app", "1000.0", "first"),
            "{\"node\":\"a\",\"hlc\":\"1000.0\",\"heartbeat\":true}",
            "{\"node\":\"a\",\"hlc\":\"1000.0\",\"heartbeat\":true}");
    assertThat(read(memory, file)).hasSize(1);
  }
}
