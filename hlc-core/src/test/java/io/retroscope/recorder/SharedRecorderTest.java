// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.sink.MemorySink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process's shared recorder, tested in separate processes. */
class SharedRecorderTest {
  @TempDir Path directory;

  /** Obtains the recorder in both ways. */
  public static final class BothWays {
    /** Prints whether they are the same. */
    public static void main(String[] args) {
      Recorder own = Recorder.fromEnvironment();
      own.log("setd").set("r1", 1);
      System.out.println("one: " + (own == Recorder.shared() && own == Recorder.fromEnvironment()));
      try (Recorder other = Recorder.builder().sink(new MemorySink()).build()) {
        System.out.println("other: " + (other != own && Recorder.shared() == own));
      }
    }
  }

  @Test
  void fromEnvironment_andShared_areOneRecorderOfOneIncarnation() throws Exception {
    assertThat(run(BothWays.class)).contains("one: true", "other: true");
    assertThat(starts()).hasSize(1);
  }

  /** A logging framework with an appender that obtains the shared recorder when it starts. */
  public static final class Finder extends System.LoggerFinder {
    private static boolean started;
    static volatile @Nullable Recorder appenders;

    @Override
    public System.Logger getLogger(String name, Module module) {
      if (!started && name.startsWith("io.retroscope")) {
        started = true;
        appenders = Recorder.shared();
      }
      return new Mute(name);
    }
  }

  private record Mute(String name) implements System.Logger {
    @Override
    public String getName() {
      return name;
    }

    @Override
    public boolean isLoggable(Level level) {
      return false;
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String text, Throwable thrown) {}

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... values) {}
  }

  /** Obtains the recorder before anything has been logged. */
  public static final class BeforeLogging {
    /** Prints whether it is the appender's. */
    public static void main(String[] args) {
      Recorder own = Recorder.fromEnvironment();
      System.out.println("one: " + (own == Finder.appenders && own == Recorder.shared()));
    }
  }

  @Test
  void fromEnvironment_loggingThatStartsMeanwhileTakesIt_isOneRecorder() throws Exception {
    Path services = Files.createDirectories(directory.resolve("finder/META-INF/services"));
    Files.writeString(services.resolve("java.lang.System$LoggerFinder"), Finder.class.getName());
    assertThat(run(BeforeLogging.class, directory.resolve("finder"))).contains("one: true");
    assertThat(starts()).hasSize(1);
  }

  /** Closes the shared recorder and obtains it again. */
  public static final class Again {
    /** Prints its state. */
    public static void main(String[] args) {
      Recorder first = Recorder.shared();
      first.close();
      Recorder second = Recorder.shared();
      second.log("setd").set("r1", 2);
      System.out.println("another: " + (first != second) + ", " + second.health());
      Recorder chosen = Recorder.builder().node("zk9").sink(new MemorySink()).build().share();
      second.close();
      System.out.println("chosen: " + (Recorder.shared() == chosen));
    }
  }

  @Test
  void shared_afterClose_isANewIncarnationAndReported() throws Exception {
    assertThat(run(Again.class))
        .contains("another: true, recording", "chosen: true")
        .contains("the shared recorder of node zk1 was closed")
        .contains("node zk1 was shared before node zk9 and is still open");
    assertThat(starts()).hasSize(2).doesNotHaveDuplicates();
  }

  /** Obtains the recorder during the JVM's shutdown, with or without an earlier one. */
  public static final class WhileEnding {
    /** Prints the recorder that it obtained. */
    public static void main(String[] args) {
      boolean closed = Boolean.getBoolean("closed");
      @Nullable Recorder first = Boolean.getBoolean("first") ? Recorder.shared() : null;
      if (closed && first != null) {
        first.close();
      }
      Thread hook =
          new Thread(
              () -> {
                Recorder late = Recorder.shared();
                late.log("setd").set("r1", 1);
                late.close();
                Recorder later = Recorder.shared();
                System.out.println("same: " + (late == first) + ", " + later.health());
                long tick = later.tick();
                System.out.println("ticks: " + (tick < later.send("zk2")));
              });
      Runtime.getRuntime().addShutdownHook(hook);
    }
  }

  @Test
  void shared_whileTheJvmEnds_makesNoSecondIncarnation() throws Exception {
    assertThat(new ChildProcess(directory).option("-Dfirst=true").run(WhileEnding.class, traced()))
        .contains("same: true, not recording: the recorder is closed", "ticks: true");
    assertThat(starts()).hasSize(1);
  }

  @Test
  void shared_whileTheJvmEndsAfterClose_doesNotRecord() throws Exception {
    ChildProcess child = new ChildProcess(directory).option("-Dfirst=true").option("-Dclosed=true");
    assertThat(child.run(WhileEnding.class, traced()))
        .contains("same: false, not recording: the JVM is ending", "ticks: true");
    assertThat(starts()).hasSize(1);
  }

  @Test
  void shared_firstWhileTheJvmEnds_doesNotRecord() throws Exception {
    assertThat(run(WhileEnding.class)).contains("not recording: the JVM is ending", "ticks: true");
    assertThat(directory.resolve("trace")).doesNotExist();
  }

  /** Records events that no server accepts. */
  public static final class Undelivered {
    /** Records 252 events, in addition to the start and the stop; ends after a refusal. */
    public static void main(String[] args) throws InterruptedException {
      Recorder recorder = Recorder.fromEnvironment();
      EventLog log = recorder.log("setd");
      for (int i = 0; i < 252; i++) {
        log.set("r1", i);
      }
      for (int i = 0; i < 6_000 && recorder.statistics().retries() == 0; i++) {
        Thread.sleep(10);
      }
    }
  }

  @Test
  void jvmEnds_eventsNotDelivered_reportsHowManyAndWhy() throws Exception {
    Map<String, String> environment =
        Map.of(
            "RETROSCOPE_NODE", "zk1",
            "RETROSCOPE_SERVER", "127.0.0.1:1",
            "RETROSCOPE_CLOSE_TIMEOUT_MILLIS", "200");
    assertThat(new ChildProcess(directory).run(Undelivered.class, environment))
        .contains(
            "retroscope: node zk1 ends: 254 events were not delivered to the log server at"
                + " http://127.0.0.1:1")
        .containsPattern("and are lost \\(.*ConnectException.*\\)");
  }

  @Test
  void jvmEnds_eventsKept_namesTheReasonAndLosesNothing() throws Exception {
    Map<String, String> environment =
        Map.of(
            "RETROSCOPE_NODE", "zk1",
            "RETROSCOPE_SERVER", "127.0.0.1:1",
            "RETROSCOPE_STATE_DIRECTORY", directory.resolve("state").toString(),
            "RETROSCOPE_CLOSE_TIMEOUT_MILLIS", "200");
    assertThat(new ChildProcess(directory).run(Undelivered.class, environment))
        .contains("are kept for its next start")
        .doesNotContain("lost");
  }

  private String run(Class<?> main, Path... classPath) throws Exception {
    return new ChildProcess(directory).run(main, traced(), classPath);
  }

  private Map<String, String> traced() {
    return Map.of(
        "RETROSCOPE_NODE", "zk1", "RETROSCOPE_FILE", directory.resolve("trace").toString());
  }

  /** The incarnations in all files of the trace. */
  private List<String> starts() throws IOException {
    List<String> incarnations = new ArrayList<>();
    try (var files = Files.newDirectoryStream(directory, "trace*")) {
      for (Path file : files) {
        for (BlockFrame frame : EventBlockCodec.decodeAll(Files.readAllBytes(file))) {
          for (Event event : ((EventBlock) frame).events()) {
            if (event.body() instanceof EventBody.Start start) {
              incarnations.add(start.incarnation());
            }
          }
        }
      }
    }
    return incarnations;
  }
}
