// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of {@link GuideService} in a separate process: with any number of integrations, it is one
 * node with one clock.
 */
class GuideTest {
  private static final String LOGBACK =
      """
      <configuration>
        <appender name="RETROSCOPE" class="io.retroscope.instrumentation.logback.HlcAppender"/>
        <root level="INFO"><appender-ref ref="RETROSCOPE"/></root>
      </configuration>
      """;

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"recorder-first, false", "logger-first, true"})
  void service_thatFollowsTheGuide_isOneNodeWithOneClockAndAllItsMessages(
      String order, boolean keepsState) throws Exception {
    List<Event> events = run(order, keepsState);

    assertThat(events).extracting(Event::node).containsOnly(events.get(0).node());
    assertThat(events).filteredOn(event -> event.body() instanceof EventBody.Start).hasSize(1);
    assertThat(events).extracting(Event::sequence).doesNotHaveDuplicates();
    assertThat(events).isSortedAccordingTo(Comparator.comparingLong(Event::hlc));
    assertThat(events.get(0).body()).isInstanceOf(EventBody.Start.class);

    assertThat(events)
        .flatExtracting(event -> event.body() instanceof StateChange c ? c.changes() : List.of())
        .extracting("operation", "variable")
        .containsExactly(tuple(Operation.SET, "leader"), tuple(Operation.SET, "term"));
    assertThat(indexOfLine(events, "elected")).isGreaterThan(indexOfChange(events));
    assertThat(indexOfLine(events, "elected, by Log4j2")).isGreaterThan(indexOfChange(events));
    assertMessagesAreRecordedAtBothEnds(events);
  }

  /** One request and response of HTTP, and one message each of Kafka and of OpenTelemetry. */
  private static void assertMessagesAreRecordedAtBothEnds(List<Event> events) {
    List<String> sent = new ArrayList<>();
    List<String> received = new ArrayList<>();
    for (Event event : events) {
      if (event.body() instanceof EventBody.Send send) {
        sent.add(send.id());
      } else if (event.body() instanceof EventBody.Receive receive) {
        received.add(receive.id());
      }
    }
    assertThat(sent).hasSize(4);
    assertThat(received).containsExactlyInAnyOrderElementsOf(sent);
  }

  /** A new integration that obtains its recorder itself must be added to {@link GuideService}. */
  @Test
  void service_integrations_areAllThereAre() throws IOException {
    List<String> named = new ArrayList<>();
    try (Stream<Path> sources = Files.walk(Path.of("..", "..", "instrumentation"))) {
      for (Path source : sources.filter(path -> path.toString().endsWith(".java")).toList()) {
        if (source.toString().contains("/main/")
            && Files.readString(source).contains("Recorder.shared()")) {
          named.add(source.getFileName().toString().replace(".java", ""));
        }
      }
    }
    assertThat(named)
        .containsExactlyInAnyOrder(
            "HlcAppender", // Logback's
            "HlcAppender", // Log4j2's
            "HlcAutoConfiguration",
            "HlcFilter",
            "HlcPropagatorProvider",
            "HlcRecorderSetting");
  }

  private List<Event> run(String order, boolean keepsState) throws Exception {
    Path logback = Files.writeString(folder.resolve("logback.xml"), LOGBACK);
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
            "-Dlogback.configurationFile=" + logback,
            "-cp",
            System.getProperty("java.class.path"),
            GuideService.class.getName(),
            order,
            folder.resolve("tomcat").toString());
    Map<String, String> environment = command.environment();
    environment.keySet().removeIf(name -> name.startsWith("RETROSCOPE_"));
    environment.put("RETROSCOPE_FILE", folder.resolve("trace.rtsb").toString());
    if (keepsState) {
      environment.put("RETROSCOPE_STATE_DIRECTORY", folder.resolve("state").toString());
    }
    Path output = folder.resolve("output");
    Process service = command.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(service.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      service.destroyForcibly();
    }
    assertThat(service.exitValue()).as(Files.readString(output)).isZero();
    return recorded();
  }

  /** The events of all files, because a second recorder would have opened its own file. */
  private List<Event> recorded() throws IOException {
    List<Event> events = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(path -> path.toString().contains(".rtsb")).toList()) {
        for (Object frame : EventBlockCodec.decodeAll(Files.readAllBytes(file))) {
          if (frame instanceof EventBlock block) {
            events.addAll(block.events());
          }
        }
      }
    }
    events.sort(Comparator.comparingLong(Event::sequence));
    return events;
  }

  private static int indexOfLine(List<Event> events, String message) {
    for (int i = 0; i < events.size(); i++) {
      if (events.get(i).body() instanceof LogLine line && line.message().equals(message)) {
        return i;
      }
    }
    throw new AssertionError("no line \"" + message + "\" in " + events);
  }

  private static int indexOfChange(List<Event> events) {
    for (int i = 0; i < events.size(); i++) {
      if (events.get(i).body() instanceof StateChange) {
        return i;
      }
    }
    throw new AssertionError("no change in " + events);
  }
}
