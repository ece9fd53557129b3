// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.recorder.RecorderHealth.Status;
import io.retroscope.sink.MemorySink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Recorders with invalid settings and damaged files: the service continues, and the problem is
 * reported.
 */
class TolerantSettingsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Map<String, String> properties = new HashMap<>(Map.of("retroscope.node", "zk1"));
  private final MemorySink sink = new MemorySink();

  @TempDir private Path directory;

  private RecorderBuilder builder() {
    return Recorder.builder().settings(new Settings(name -> null, properties::get));
  }

  @Test
  void build_everyOptionalSettingWrong_recordsWithDefaultsAndNamesEachOnce() {
    for (String name :
        List.of(
            "ring.capacity",
            "heartbeat.millis",
            "max.text.length",
            "max.offset.millis",
            "close.timeout.millis",
            "messages",
            "trust",
            "fsync",
            "jmx",
            "strict",
            "reset.clock",
            "clock.skew.micros",
            "remote.policy")) {
      properties.clear();
      properties.put("retroscope." + name, "many");
      String variable = "RETROSCOPE_" + name.replace('.', '_').toUpperCase(Locale.ROOT);
      try (LoggedErrors errors = new LoggedErrors();
          Recorder recorder = builder().sink(sink).build()) {
        assertThat(errors.texts()).as(name).hasSize(1);
        assertThat(errors.texts().get(0)).contains(variable, "\"many\"");
        assertThat(recorder.health().status()).isEqualTo(Status.RECORDING);
        assertThat(recorder.health().toString()).contains(variable);
      }
    }
    assertThat(sink.events()).hasSize(26);
  }

  @Test
  void build_numberOutOfRange_countsAsWrong() {
    for (String wrong : List.of("0", "-1", "3", "99999999999")) {
      properties.put("retroscope.ring.capacity", wrong);
      try (Recorder recorder = builder().sink(sink).build()) {
        assertThat(recorder.health().toString()).contains("RETROSCOPE_RING_CAPACITY", wrong);
      }
    }
    properties.clear();
    properties.put("retroscope.node", "x".repeat(201));
    try (Recorder recorder = builder().sink(sink).host(() -> "h1").build()) {
      assertThat(recorder.node()).endsWith("@h1");
    }
  }

  @Test
  void build_serverWithoutScheme_isTaken() {
    properties.put("retroscope.server", "127.0.0.1:1");
    properties.put("retroscope.close.timeout.millis", "1");
    try (Recorder recorder = builder().build()) {
      assertThat(recorder.health()).isEqualTo(new RecorderHealth(Status.RECORDING, List.of()));
    }
  }

  @Test
  void build_noPlaceForEvents_isSilentSaysSoOnceAndKeepsTheClock() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    silent("server", "http://", "RETROSCOPE_SERVER");
    silent("server", "host:many", "RETROSCOPE_SERVER");
    silent("server", "ftp://127.0.0.1", "RETROSCOPE_SERVER");
    silent("file", file.resolve("below-a-file").toString(), "RETROSCOPE_FILE");
    silent("file", "\0", "RETROSCOPE_FILE");
  }

  private void silent(String name, String value, String variable) {
    properties.clear();
    properties.put("retroscope.node", "zk1");
    properties.put("retroscope." + name, value);
    properties.put("retroscope.state.directory", directory.resolve("state").toString());
    try (LoggedErrors errors = new LoggedErrors();
        Recorder recorder = builder().build()) {
      assertThat(errors.texts()).as(value).hasSize(1);
      assertThat(errors.texts().get(0)).contains("zk1", "records nothing", variable);
      assertThat(recorder.health().status()).isEqualTo(Status.NOT_RECORDING);
      assertThat(recorder.health().toString()).contains(variable);
      long remote = recorder.tick() + (5_000L << HlcTimestamp.LOGICAL_BITS);
      assertThat(recorder.observe(remote)).isGreaterThan(remote);
      assertThat(recorder.receive("zk2", "m", remote + 9)).isGreaterThan(remote + 9);
      assertThat(recorder.send("zk2")).isGreaterThan(remote + 9);
      recorder.log("setd").set("r1", 1);
      recorder.log("setd").line("x").record();
      assertThat(recorder.statistics().afterClose()).isPositive();
      assertThat(recorder.flush(PATIENCE)).isFalse();
      recorder.restarted();
      assertThat(recorder.health().status()).isEqualTo(Status.NOT_RECORDING);
    }
  }

  @Test
  void build_noPlaceForEventsThenAPlace_theRunBeforeIsTheLastThatRecorded() throws IOException {
    properties.put("retroscope.state.directory", directory.toString());
    properties.put("retroscope.file", directory.resolve("trace").toString());
    builder().build().close();
    String run = Files.readString(directory.resolve("run"));
    properties.put("retroscope.file", "\0");
    builder().build().close();
    assertThat(Files.readString(directory.resolve("run"))).isEqualTo(run);
  }

  @Test
  void build_damagedState_recordsWithACaveat() throws IOException {
    Files.writeString(directory.resolve("clock"), "no bound of ours, but long enough to be read");
    assertUnbound();
  }

  @Test
  void build_stateInUse_recordsWithACaveat() {
    properties.put("retroscope.state.directory", directory.toString());
    try (Recorder first = builder().sink(new MemorySink()).build()) {
      // A busy disk may take longer than the first bound lasts.
      await().atMost(PATIENCE).until(() -> first.health().reasons().isEmpty());
      assertUnbound();
    }
  }

  @Test
  void build_stateDirectoryIsAFile_recordsWithACaveat() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    properties.put("retroscope.state.directory", file.toString());
    assertUnbound();
  }

  private void assertUnbound() {
    properties.putIfAbsent("retroscope.state.directory", directory.toString());
    try (LoggedErrors errors = new LoggedErrors();
        Recorder recorder = builder().sink(sink).build()) {
      assertThat(errors.texts()).hasSize(1);
      assertThat(errors.texts().get(0)).contains("no restart bound");
      recorder.log("setd").set("r1", 1);
      assertThat(recorder.flush(PATIENCE)).isTrue();
      assertThat(recorder.health().status()).isEqualTo(Status.RECORDING);
      assertThat(recorder.health().toString()).contains("no restart bound");
    }
    List<Event> events = sink.events();
    assertThat(events).hasSize(4);
    Event caveat = events.get(1);
    assertThat(caveat.log()).isEqualTo(Recorder.OWN_LOG);
    EventBody.Change change = ((EventBody.StateChange) caveat.body()).changes().get(0);
    assertThat(change.variable()).isEqualTo(Recorder.CAVEATS);
    assertThat(((Value.SetValue) change.value()).elements().toString())
        .contains("no restart bound");
  }

  @Test
  void build_clockFarBehindTheBound_beginsAnewWithACaveat() {
    properties.put("retroscope.state.directory", directory.toString());
    builder().sink(sink).physicalClock(() -> 2_000_000_000_000_000L).build().close();
    try (Recorder recorder =
        builder().sink(sink).physicalClock(() -> 1_900_000_000_000_000L).build()) {
      assertThat(recorder.incarnation()).endsWith("-reset");
      assertThat(recorder.health().toString()).contains("no restart bound");
      assertThat(HlcTimestamp.micros(recorder.tick())).isEqualTo(1_900_000_000_000_000L);
    }
  }

  @Test
  void build_strict_throwsInAllOfTheseCases() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertStrict("server", "ftp://127.0.0.1", IllegalArgumentException.class);
    assertStrict("server", "http://", IllegalArgumentException.class);
    assertStrict("file", file.resolve("x").toString(), UncheckedIOException.class);
    assertStrict("state.directory", file.toString(), UncheckedIOException.class);
    assertStrict("ring.capacity", "3", IllegalArgumentException.class);
  }

  private void assertStrict(String name, String value, Class<? extends Exception> expected) {
    properties.clear();
    properties.put("retroscope." + name, value);
    properties.put("retroscope.strict", "true");
    assertThatThrownBy(() -> builder().build()).as(name).isInstanceOf(expected);
  }

  @Test
  void build_strictAfterAFailure_leavesTheStateFree() throws IOException {
    properties.put("retroscope.state.directory", directory.resolve("state").toString());
    Path file = Files.writeString(directory.resolve("file"), "");
    properties.put("retroscope.file", file.resolve("x").toString());
    assertThatThrownBy(() -> builder().strict(true).build())
        .isInstanceOf(UncheckedIOException.class);
    properties.remove("retroscope.file");
    builder().strict(true).sink(sink).build().close();
  }

  @Test
  void build_mistakesOfTheCaller_throwAlways() {
    RecorderBuilder small = builder().sink(sink).ringCapacity(3);
    assertThatThrownBy(small::build).isInstanceOf(IllegalArgumentException.class);
    RecorderBuilder nameless = builder().sink(sink).node("");
    assertThatThrownBy(nameless::build).isInstanceOf(IllegalArgumentException.class);
    RecorderBuilder textless = builder().sink(sink).maxTextLength(0);
    assertThatThrownBy(textless::build).isInstanceOf(IllegalArgumentException.class);
    RecorderBuilder timeless = builder().sink(sink).heartbeatInterval(Duration.ZERO);
    assertThatThrownBy(timeless::build).isInstanceOf(IllegalArgumentException.class);
    RecorderBuilder elsewhere = builder().server(URI.create("ftp://127.0.0.1"));
    assertThatThrownBy(elsewhere::build).isInstanceOf(IllegalArgumentException.class);
  }
}
