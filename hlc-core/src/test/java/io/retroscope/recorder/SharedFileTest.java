// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several processes that are configured to record into the same file. */
class SharedFileTest {
  private static final int EVENTS = 5_000;

  @TempDir Path directory;

  /** A service that records at the first command and ends at the second. */
  static final class Service {
    public static void main(String[] arguments) throws IOException {
      Recorder recorder = Recorder.fromEnvironment();
      System.out.println("ready");
      System.in.read();
      for (int i = 0; i < EVENTS; i++) {
        recorder.log("setd").set("r1", i);
      }
      recorder.close();
      System.out.println("done " + recorder.statistics().dropped());
      System.in.read();
    }
  }

  private Process start(String node) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            ProcessHandle.current().info().command().orElse("java"),
            "-Xmx64m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Service.class.getName());
    builder.environment().put("RETROSCOPE_NODE", node);
    builder.environment().put("RETROSCOPE_FILE", file().toString());
    builder.redirectError(directory.resolve(node + ".log").toFile());
    return builder.start();
  }

  private Path file() {
    return directory.resolve("trace.rtsb");
  }

  @Test
  void record_threeProcessesOneFile_noEventIsLost() throws Exception {
    Process first = start("a");
    expect(first, "ready");
    Process second = start("b");
    expect(second, "ready");
    go(first);
    go(second);
    expect(first, "done 0");
    expect(second, "done 0");
    Process third = start("c");
    expect(third, "ready");
    go(third);
    expect(third, "done 0");
    for (Process each : List.of(first, second, third)) {
      go(each);
      assertThat(each.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(recordedByNode())
        .isEqualTo(Map.of("a", EVENTS + 2, "b", EVENTS + 2, "c", EVENTS + 2));
    assertThat(directory.resolve("trace.rtsb." + second.pid())).exists();
    assertThat(warnings("a")).isZero();
    assertThat(warnings("b")).isEqualTo(1);
    assertThat(warnings("c")).isZero();
  }

  private final Map<Process, BufferedReader> outputs =
      new TreeMap<>((a, b) -> Long.compare(a.pid(), b.pid()));

  private void expect(Process process, String line) throws IOException {
    BufferedReader output =
        outputs.computeIfAbsent(
            process,
            p ->
                new BufferedReader(
                    new InputStreamReader(p.getInputStream(), StandardCharsets.UTF_8)));
    assertThat(output.readLine()).isEqualTo(line);
  }

  private static void go(Process process) throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  private Map<String, Integer> recordedByNode() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(directory)) {
      files =
          all.filter(path -> path.getFileName().toString().matches("trace\\.rtsb(\\.\\d+)*"))
              .collect(Collectors.toList());
    }
    List<Event> events = new ArrayList<>();
    for (Path each : files) {
      for (BlockFrame frame : EventBlockCodec.decodeAll(Files.readAllBytes(each))) {
        events.addAll(((EventBlock) frame).events());
      }
    }
    Map<String, Integer> counts = new TreeMap<>();
    events.forEach(event -> counts.merge(event.node(), 1, Integer::sum));
    return counts;
  }

  private long warnings(String node) throws IOException {
    try (Stream<String> lines = Files.lines(directory.resolve(node + ".log"))) {
      return lines.filter(line -> line.contains("another process records into")).count();
    }
  }
}
