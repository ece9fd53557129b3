// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.otelagent;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Applications with the real agent of OpenTelemetry and the extension's jar. */
@Timeout(180)
class AgentTest {
  private static final String AGENT =
      Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
          .filter(entry -> entry.contains("opentelemetry-javaagent"))
          .findFirst()
          .orElseThrow();

  /** Of hundreds of integrations, those of the JDK's client and server. */
  private static final List<String> HTTP_ALONE =
      List.of(
          "-Dotel.instrumentation.common.default-enabled=false",
          "-Dotel.instrumentation.java-http-client.enabled=true",
          "-Dotel.instrumentation.java-http-server.enabled=true");

  @TempDir Path directory;

  @Test
  void agent_isThatOfThisRun() {
    assertThat(Path.of(AGENT).getFileName())
        .hasToString("opentelemetry-javaagent-" + System.getProperty("expected.agent") + ".jar");
  }

  /** The last line that an application prints. */
  private String run(Class<?> application, List<String> options, String... classPath)
      throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-javaagent:" + AGENT,
                "-Dotel.javaagent.extensions=" + System.getProperty("extension.jar"),
                "-Dotel.propagators=tracecontext,hlc",
                "-Dotel.traces.exporter=none",
                "-Dotel.metrics.exporter=none",
                "-Dotel.logs.exporter=none",
                "-Dretroscope.node=from-environment",
                "-Dretroscope.file=" + directory.resolve("environment")));
    command.addAll(options);
    command.addAll(
        List.of(
            "-cp",
            String.join(File.pathSeparator, classPath),
            application.getName(),
            directory.resolve("own").toString()));
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(150, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String printed = Files.readString(output, StandardCharsets.UTF_8);
    assertThat(process.exitValue()).as(printed).isZero();
    return printed.strip().lines().reduce((first, second) -> second).orElse("");
  }

  private static String home(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  private List<Event> events(String file) throws Exception {
    List<Event> events = new ArrayList<>();
    try (InputStream in = Files.newInputStream(directory.resolve(file))) {
      for (Optional<?> frame = EventBlockCodec.read(in, 0);
          frame.isPresent();
          frame = EventBlockCodec.read(in, 0)) {
        if (frame.get() instanceof EventBlock block) {
          block.events().forEach(events::add);
        }
      }
    }
    return events;
  }

  private static Event sendOf(String stamp, List<Event> events) {
    List<Event> sends =
        events.stream()
            .filter(event -> event.body() instanceof EventBody.Send send && send.id().equals(stamp))
            .toList();
    assertThat(sends).as("the send with the stamp of the request").hasSize(1);
    return sends.get(0);
  }

  @Test
  void application_withARecorder_sharesItsClock() throws Exception {
    String stamp =
        run(TracedApplication.class, List.of(), home(AgentTest.class), home(HlcTimestamp.class));

    List<Event> events = events("own");
    Event send = sendOf(stamp, events);
    assertThat(send.node()).isEqualTo("own");
    assertThat(events)
        .as("the server's side of the request")
        .anyMatch(
            event ->
                event.body() instanceof EventBody.Receive receive && receive.id().equals(stamp));
    assertThat(directory.resolve("environment")).doesNotExist();
  }

  @Test
  void application_withoutARecorder_getsOneFromTheEnvironment() throws Exception {
    String stamp = run(PlainApplication.class, HTTP_ALONE, home(AgentTest.class));

    assertThat(sendOf(stamp, events("environment")).node()).isEqualTo("from-environment");
  }
}
