// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service needs this module and the JDK, and no other jar. */
class NoDependencyTest {
  @TempDir Path directory;

  /** The main class of the child process. */
  public static final class Service {
    /** Records one value with the settings of the environment. */
    public static void main(String[] args) {
      try (Recorder recorder = Recorder.fromEnvironment()) {
        recorder.log("setd").set("r1", 4);
      }
    }
  }

  @Test
  void recorder_withNothingElseOnTheModulePath_recordsIntoAFile() throws Exception {
    Path file = directory.resolve("trace.rtsb");
    Path classes = codeOf(Recorder.class);
    Path service = directory.resolve("service");
    String name = Service.class.getName().replace('.', '/') + ".class";
    Path copy = service.resolve(name);
    Files.createDirectories(copy.getParent());
    Files.copy(codeOf(Service.class).resolve(name), copy);
    ProcessBuilder child =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--module-path",
            classes.toString(),
            "--patch-module",
            "io.retroscope.core=" + service,
            "-Dretroscope.file=" + file,
            "-Dretroscope.node=ignored",
            "--module",
            "io.retroscope.core/" + Service.class.getName());
    child.environment().put("RETROSCOPE_NODE", "zk1");
    child.redirectErrorStream(true).redirectOutput(directory.resolve("out").toFile());
    Process process = child.start();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("the end of the service").isTrue();
    assertThat(Files.readString(directory.resolve("out"))).isEmpty();
    assertThat(process.exitValue()).isZero();
    List<Event> events = read(file);
    assertThat(events).hasSize(3).allMatch(event -> event.node().equals("zk1"));
    assertThat(events.get(1).log()).isEqualTo("setd");
  }

  private static Path codeOf(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static List<Event> read(Path file) throws IOException {
    List<Event> events = new ArrayList<>();
    for (BlockFrame frame : EventBlockCodec.decodeAll(Files.readAllBytes(file))) {
      events.addAll(((EventBlock) frame).events());
    }
    return events;
  }
}
