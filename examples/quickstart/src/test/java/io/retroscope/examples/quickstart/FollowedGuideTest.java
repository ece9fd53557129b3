// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Follows {@code docs/instrument-your-service.md} to the letter: compiles and runs its code with
 * its configuration, in a process of its own. {@code SpringBootExampleTest} in {@code cli} does
 * this for Spring Boot.
 */
@Timeout(120)
class FollowedGuideTest {
  private static final Path GUIDE = Path.of("..", "..", "docs", "instrument-your-service.md");

  private static final Path FRONT = Path.of("..", "..", "README.md");

  @TempDir Path folder;

  /** The blocks of a language under a heading. */
  private static List<String> blocks(String heading, String language) throws Exception {
    return blocks(GUIDE, "### " + heading, language);
  }

  private static List<String> blocks(Path page, String heading, String language) throws Exception {
    String guide = Files.readString(page);
    String start = "\n" + heading + "\n";
    assertThat(guide).contains(start);
    String section = guide.substring(guide.indexOf(start) + start.length()).split("\n##", 2)[0];
    return Pattern.compile("(?ms)^```" + language + "\n(.*?)^```$")
        .matcher(section)
        .results()
        .map((MatchResult block) -> block.group(1))
        .toList();
  }

  @Test
  void plainJava_asWritten_isRecorded() throws Exception {
    List<Event> events = run(blocks("Plain Java", "java").get(0));
    assertThat(events)
        .flatExtracting(event -> event.body() instanceof StateChange c ? c.changes() : List.of())
        .containsExactly(
            new Change(Operation.SET, "r1", Value.of(4)),
            new Change(Operation.SET, "state", Value.of("RUNNABLE")),
            new Change(Operation.SET, "term", Value.of(3)),
            new Change(Operation.SET, "role", Value.of("leader")),
            new Change(Operation.ADD, "members", Value.setOf(Value.of("zk3"))));
    assertThat(lines(events)).extracting(LogLine::message).containsExactly("timeout");
    assertThat(lines(events).get(0).fields()).containsEntry("ms", Value.of(1200));
  }

  @Test
  void frontPage_asWritten_isRecorded() throws Exception {
    List<Event> events = run(blocks(FRONT, "## Trace your own service", "java").get(0));
    assertThat(events.stream().map(FollowedGuideTest::kind))
        .containsExactly("start", "working", "send", "receive", "stop");
  }

  @Test
  void slf4j_asWritten_isRecorded() throws Exception {
    Path logback = Files.writeString(folder.resolve("logback.xml"), blocks("SLF4J", "xml").get(1));
    List<Event> events =
        run(blocks("SLF4J", "java").get(0), "-Dlogback.configurationFile=" + logback);
    assertThat(lines(events)).extracting(LogLine::message).containsExactly("order taken");
    assertThat(lines(events).get(0).fields()).containsEntry("order", Value.of(17));
    assertThat(Files.readString(folder.resolve("output"))).matches("(?s)\\d+\\.\\d+ order taken\n");
  }

  @Test
  void http_asWritten_recordsTheMessagesAtBothEndsInTheirOrder() throws Exception {
    List<Event> events = run(blocks("HTTP without a framework", "java").get(0));
    assertThat(events.stream().map(FollowedGuideTest::kind))
        .containsExactly("start", "send", "receive", "asked", "send", "receive", "stop");
    assertThat(events).isSortedAccordingTo(Comparator.comparingLong(Event::hlc));
  }

  @Test
  void sockets_asWritten_recordTheMessageAtBothEndsBeforeItsEffect() throws Exception {
    List<Event> events = run(blocks("A protocol of your own", "java").get(0));
    assertThat(events.stream().map(FollowedGuideTest::kind))
        .containsExactly("start", "send", "receive", "command", "stop");
    assertThat(events.get(1).body())
        .isInstanceOfSatisfying(
            EventBody.Send.class, send -> assertThat(send.id()).isEqualTo("zk1-1"));
    assertThat(events.get(2).body())
        .isInstanceOfSatisfying(
            EventBody.Receive.class, receive -> assertThat(receive.id()).isEqualTo("zk1-1"));
  }

  /** The kind of an event, or the variable that it sets. */
  private static String kind(Event event) {
    return event.body() instanceof StateChange change
        ? change.changes().get(0).variable()
        : event.body().getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  @Test
  void dependencies_asWritten_areThoseOfThisBuild() throws Exception {
    List<String> dependencies = new ArrayList<>();
    dependencies.add(blocks(FRONT, "## Trace your own service", "xml").get(0));
    for (String heading :
        List.of("Spring Boot", "SLF4J", "Plain Java", "HTTP without a framework")) {
      dependencies.add(blocks(heading, "xml").get(0));
    }
    for (String dependency : dependencies) {
      String artifact = dependency.replaceAll("(?s).*<artifactId>(.*)</artifactId>.*", "$1");
      String version = dependency.replaceAll("(?s).*<version>(.*)</version>.*", "$1");
      assertThat(Files.readString(Path.of("..", "..", "bom", "pom.xml")))
          .contains("<artifactId>" + artifact + "</artifactId>")
          .contains("<version>" + version + "</version>");
    }
  }

  private static List<LogLine> lines(List<Event> events) {
    return events.stream()
        .map(Event::body)
        .filter(LogLine.class::isInstance)
        .map(LogLine.class::cast)
        .toList();
  }

  /** Runs the statements of a block, in the main method of a class, and returns its events. */
  private List<Event> run(String block, String... options) throws Exception {
    String imports = String.join("\n", block.lines().filter(l -> l.startsWith("import ")).toList());
    String rest = String.join("\n", block.lines().filter(l -> !l.startsWith("import ")).toList());
    Path source =
        Files.writeString(
            folder.resolve("Service.java"),
            imports
                + "\nclass Service {\n  public static void main(String[] args) throws Exception {\n"
                + rest
                + "\n  }\n}\n");
    StringWriter messages = new StringWriter();
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      List<String> flags =
          List.of("-cp", System.getProperty("java.class.path"), "-d", folder.toString());
      var sources = files.getJavaFileObjects(source);
      boolean compiled = compiler.getTask(messages, files, null, flags, null, sources).call();
      assertThat(compiled).as(messages.toString()).isTrue();
    }
    return start(options);
  }

  private List<Event> start(String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"));
    command.addAll(List.of(options));
    command.addAll(
        List.of(
            "-cp",
            folder + System.getProperty("path.separator") + System.getProperty("java.class.path"),
            "Service"));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("RETROSCOPE_"));
    Path trace = folder.resolve("trace.rtsb");
    builder.environment().put("RETROSCOPE_FILE", trace.toString());
    Path output = folder.resolve("output");
    Process service = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    assertThat(service.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(service.exitValue()).as(Files.readString(output)).isZero();
    List<Event> events = new ArrayList<>();
    for (Object frame : EventBlockCodec.decodeAll(Files.readAllBytes(trace))) {
      if (frame instanceof EventBlock block) {
        events.addAll(block.events());
      }
    }
    assertThat(events.get(0).body()).isInstanceOf(EventBody.Start.class);
    return events;
  }
}
