// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import io.retroscope.sink.MemorySink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
  private final Map<String, String> environment = new HashMap<>();
  private final Map<String, String> properties = new HashMap<>();
  private final Settings settings = new Settings(environment::get, properties::get);

  @TempDir private Path directory;

  @Test
  void build_setThreefold_theBuilderCounts() {
    environment.put("RETROSCOPE_NODE", "from-environment");
    properties.put("retroscope.node", "from-property");
    assertThat(nodeOf(builder().node("from-builder"))).isEqualTo("from-builder");
  }

  @Test
  void build_notInTheBuilder_theEnvironmentCounts() {
    environment.put("RETROSCOPE_NODE", "from-environment");
    properties.put("retroscope.node", "from-property");
    assertThat(nodeOf(builder())).isEqualTo("from-environment");
  }

  @Test
  void build_onlyAProperty_isTaken() {
    properties.put("retroscope.node", "from-property");
    assertThat(nodeOf(builder())).isEqualTo("from-property");
  }

  @Test
  void build_blankVariable_countsAsAbsent() {
    environment.put("RETROSCOPE_NODE", " ");
    properties.put("retroscope.node", "from-property");
    assertThat(nodeOf(builder())).isEqualTo("from-property");
  }

  @Test
  void build_fileFromTheEnvironment_isRecordedInto() {
    Path file = directory.resolve("trace.rtsb");
    environment.put("RETROSCOPE_NODE", "zk1");
    environment.put("RETROSCOPE_FILE", file.toString());
    properties.put("retroscope.file", directory.resolve("other.rtsb").toString());
    Recorder.builder().settings(settings).build().close();
    assertThat(directory.toFile().list())
        .containsExactlyInAnyOrder("trace.rtsb", "trace.rtsb.lock");
    assertThat(file).isNotEmptyFile();
  }

  @Test
  void build_everyNumberUnreadable_namesTheVariableThePropertyAndTheText() {
    for (String name :
        List.of(
            "ring.capacity",
            "heartbeat.millis",
            "max.text.length",
            "max.offset.millis",
            "close.timeout.millis",
            "fsync",
            "reset.clock",
            "trust",
            "remote.policy")) {
      properties.clear();
      properties.put("retroscope." + name, "many");
      properties.put("retroscope.state.directory", directory.resolve(name).toString());
      String variable = "RETROSCOPE_" + name.replace('.', '_').toUpperCase(Locale.ROOT);
      assertThatThrownBy(() -> builder().strict(true).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll(variable, "retroscope." + name, "\"many\"");
    }
  }

  @Test
  void typed_settings_areRead() {
    environment.put("RETROSCOPE_RING_CAPACITY", " 1024 ");
    environment.put("RETROSCOPE_FSYNC", "Yes");
    environment.put("RETROSCOPE_HEARTBEAT_MILLIS", "50");
    environment.put("RETROSCOPE_REMOTE_POLICY", "clamp");
    assertThat(settings.number("ring.capacity", 2, 4096)).contains(1024L);
    assertThat(settings.truth("fsync")).contains(true);
    assertThat(settings.millis("heartbeat.millis")).contains(Duration.ofMillis(50));
    assertThat(settings.constant("remote.policy", RemotePolicy.class)).contains(RemotePolicy.CLAMP);
    assertThat(settings.text("node")).isEmpty();
  }

  private RecorderBuilder builder() {
    return Recorder.builder().sink(new MemorySink()).settings(settings);
  }

  private static String nodeOf(RecorderBuilder builder) {
    try (Recorder recorder = builder.build()) {
      return recorder.node();
    }
  }
}
