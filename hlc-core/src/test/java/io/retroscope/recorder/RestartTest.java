// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.ClockBound;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.EventMark;
import io.retroscope.sink.MemorySink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that restart: after kills, with clocks that step back, and with damaged state. */
class RestartTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long SECOND = 1_000_000;

  @TempDir private Path directory;
  private final Map<String, String> environment = new HashMap<>();
  private final List<Recorder> running = new ArrayList<>();

  /** Acquires a state directory in another process, and prints whether it succeeded. */
  public static final class OtherProcess {
    /** The first argument is the directory. */
    public static void main(String[] args) {
      try (NodeState state = open(Path.of(args[0]))) {
        System.out.print("taken " + state.predecessor());
      } catch (IOException e) {
        System.out.print(e.getMessage());
      }
    }
  }

  private static NodeState open(Path directory) throws IOException {
    return new NodeState(directory, Fsync.NONE, file -> ClockBound.inFile(file, false));
  }

  @AfterEach
  void close() {
    Thread.interrupted();
    running.forEach(Recorder::close);
  }

  private RecorderBuilder builder(Path state, MemorySink sink) {
    return Recorder.builder()
        .settings(new Settings(environment::get, name -> null))
        .node("zk1")
        .sink(sink)
        .stateDirectory(state);
  }

  private Recorder start(RecorderBuilder builder) {
    Recorder recorder = builder.build();
    running.add(recorder);
    return recorder;
  }

  private static EventBody.Start startOf(MemorySink sink) {
    return (EventBody.Start) sink.events().get(0).body();
  }

  /** The values of the variable that holds the node's caveats, as recorded. */
  private static List<String> caveats(Recorder recorder, MemorySink sink) {
    assertThat(recorder.flush(PATIENCE)).isTrue();
    return sink.events().stream()
        .filter(event -> event.log().equals(Recorder.OWN_LOG))
        .map(event -> event.body().toString())
        .toList();
  }

  /** A copy of the state as after a kill at this moment. */
  private Path killed(Path state) throws IOException {
    Path copy = directory.resolve("killed");
    Files.createDirectories(copy);
    Files.copy(state.resolve("clock"), copy.resolve("clock"));
    Files.copy(state.resolve("run"), copy.resolve("run"));
    return copy;
  }

  /** The file names and the run; opening the lock file here would release the lock. */
  private static List<String> contents(Path state) throws IOException {
    try (Stream<Path> files = Files.list(state)) {
      return Stream.concat(
              files.map(Path::toString).sorted(), Stream.of(Files.readString(state.resolve("run"))))
          .toList();
    }
  }

  /**
   * Application threads whose interrupt flag is always set build, tick, record and close. The bound
   * must hold nevertheless: after a kill and a step back of one second, no stamp is lower than an
   * earlier one.
   */
  @Test
  void interruptedCallers_killAndAStepBack_stampsDoNotFall() throws IOException {
    Path state = directory.resolve("state");
    MemorySink sink = new MemorySink();
    Thread.currentThread().interrupt();
    Recorder recorder = start(builder(state, sink).fsync(true));
    EventLog log = recorder.log("setd");
    for (int i = 0; i < 2_000; i++) {
      Thread.currentThread().interrupt();
      log.set("r1", i);
      // Ahead of the bound repeatedly.
      recorder.observe(recorder.tick() + (2_000 << HlcTimestamp.LOGICAL_BITS));
    }
    assertThat(Thread.interrupted()).isTrue();
    long last = recorder.clock().last();
    await().atMost(PATIENCE).until(() -> recorder.clock().isBound(last));
    Path killed = killed(state);
    assertThat(recorder.statistics().boundFailures()).isZero();
    MemorySink next = new MemorySink();
    PhysicalClock steppedBack = PhysicalClock.system().skewedBy(-SECOND);
    Recorder restarted = start(builder(killed, next).physicalClock(steppedBack));
    assertThat(restarted.tick()).isGreaterThan(last);
    assertThat(restarted.flush(PATIENCE)).isTrue();
    assertThat(startOf(next).predecessor()).isEqualTo(recorder.incarnation());
    assertThat(startOf(next).spill()).isEqualTo(Spill.LOST);
  }

  @Test
  void close_interruptedCaller_recordsAllAndEndsTheRun() throws IOException {
    Path state = directory.resolve("state");
    MemorySink sink = new MemorySink();
    Recorder recorder = start(builder(state, sink));
    EventLog log = recorder.log("setd");
    for (int i = 0; i < 20_000; i++) {
      log.set("r1", i);
    }
    Thread.currentThread().interrupt();
    recorder.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(sink.events()).hasSize(20_002);
    assertThat(Files.readString(state.resolve("run")))
        .isEqualTo("ended " + recorder.incarnation() + "\n");
  }

  @Test
  void restart_afterAnOrderlyEnd_needsNoWait() throws IOException {
    Path state = directory.resolve("state");
    MemorySink sink = new MemorySink();
    Recorder recorder = start(builder(state, sink));
    recorder.log("setd").set("r1", 1);
    recorder.close();
    long last = sink.events().get(sink.events().size() - 1).hlc();
    assertThat(recorder.clock().last()).isEqualTo(last);
    try (NodeState settled = open(state)) {
      assertThat(settled.bound().load()).hasValue(last);
    }
    MemorySink next = new MemorySink();
    Recorder restarted = start(builder(state, next));
    assertThat(restarted.flush(PATIENCE)).isTrue();
    assertThat(startOf(next).spill()).isEqualTo(Spill.COMPLETE);
    assertThat(startOf(next).floor()).isEqualTo(HlcTimestamp.MIN_PACKED);
  }

  @Test
  void restart_acceptAndAnHourAhead_isAboveWithoutACaveat() {
    Path state = directory.resolve("state");
    Recorder recorder = start(builder(state, new MemorySink()).remotePolicy(RemotePolicy.ACCEPT));
    long hour = (3_600 * SECOND) << HlcTimestamp.LOGICAL_BITS;
    long ahead = recorder.observe(recorder.tick() + hour);
    recorder.close();
    MemorySink next = new MemorySink();
    Recorder restarted = start(builder(state, next).remotePolicy(RemotePolicy.ACCEPT));
    assertThat(restarted.tick()).isGreaterThan(ahead);
    assertThat(caveats(restarted, next)).isEmpty();
    assertThat(startOf(next).floor()).isGreaterThan(ahead);
  }

  /** The same under REFUSE, after the clock was set back: the service must start nevertheless. */
  @Test
  void restart_boundBeyondMaxOffset_recordsWithACaveat() {
    Path state = directory.resolve("state");
    PhysicalClock ahead = PhysicalClock.system().skewedBy(3_600 * SECOND);
    start(builder(state, new MemorySink()).physicalClock(ahead)).close();
    MemorySink next = new MemorySink();
    Recorder restarted = start(builder(state, next));
    assertThat(caveats(restarted, next)).hasSize(1).first().asString().contains("no restart bound");
    await().atMost(PATIENCE).until(() -> restarted.clock().isBound(restarted.tick()));
  }

  @Test
  void start_damagedBound_recordsWithACaveatAndTheNextRunIsBoundAgain() throws IOException {
    Path state = directory.resolve("state");
    start(builder(state, new MemorySink())).close();
    Files.writeString(state.resolve("clock"), "not a bound at all");
    MemorySink sink = new MemorySink();
    Recorder recorder = start(builder(state, sink));
    assertThat(caveats(recorder, sink))
        .hasSize(1)
        .first()
        .asString()
        .contains("no restart bound", "damaged", "clock");
    recorder.close();
    long last = recorder.clock().last();
    MemorySink next = new MemorySink();
    Recorder restarted =
        start(builder(state, next).physicalClock(PhysicalClock.system().skewedBy(-SECOND)));
    assertThat(restarted.tick()).isGreaterThan(last);
    assertThat(caveats(restarted, next)).isEmpty();
  }

  @Test
  void start_damagedRunFile_recordsWithACaveat() throws IOException {
    Path state = directory.resolve("state");
    for (String text : List.of("", "running", "ended a b\n", "x".repeat(5_000))) {
      Files.createDirectories(state);
      Files.writeString(state.resolve("run"), text);
      MemorySink sink = new MemorySink();
      Recorder recorder = start(builder(state, sink));
      assertThat(caveats(recorder, sink)).as(text).hasSize(1);
      assertThat(startOf(sink).predecessor()).isEmpty();
      assertThat(startOf(sink).spill()).isEqualTo(Spill.LOST);
      recorder.close();
      assertThat(Files.readString(state.resolve("run"))).startsWith("ended ");
    }
  }

  @Test
  void start_directoryCannotBeUsed_recordsWithACaveat() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "a file");
    MemorySink sink = new MemorySink();
    Recorder recorder = start(builder(file.resolve("state"), sink));
    assertThat(caveats(recorder, sink)).hasSize(1);
    assertThat(sink.events()).noneMatch(event -> event.marks().contains(EventMark.UNBOUND));
  }

  /** A second recorder does not touch the directory, and does not release it for a third. */
  @Test
  void start_lockedDirectory_recordsWithACaveatAndWritesNothing() throws Exception {
    Path state = directory.resolve("state");
    start(builder(state, new MemorySink()));
    List<String> before = contents(state);
    MemorySink sink = new MemorySink();
    Recorder second = start(builder(state.resolve("..").resolve("state"), sink));
    assertThat(caveats(second, sink))
        .hasSize(1)
        .first()
        .asString()
        .contains("no restart bound", "another recorder");
    assertThat(startOf(sink).predecessor()).isEmpty();
    second.close();
    assertThat(contents(state)).isEqualTo(before);
    assertThat(inAnotherProcess(state)).contains("another recorder");
    assertThat(contents(state)).isEqualTo(before);
    running.get(0).close();
    assertThat(inAnotherProcess(state)).isEqualTo("taken " + running.get(0).incarnation());
  }

  private String inAnotherProcess(Path state) throws Exception {
    Path out = directory.resolve("out");
    String classes = System.getProperty("path.separator");
    classes = codeOf(Recorder.class) + classes + codeOf(OtherProcess.class);
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classes,
                OtherProcess.class.getName(),
                state.toString())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return Files.readString(out);
  }

  private static Path codeOf(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** Readings outside the range of stamps are recorded unchanged. */
  @Test
  void record_clockOutsideTheRange_recordsTheReadingAndStampsAscend() throws IOException {
    for (long wrong : new long[] {Long.MIN_VALUE, -5, HlcTimestamp.MAX_MICROS, Long.MAX_VALUE}) {
      Path state = directory.resolve("state" + wrong);
      MemorySink sink = new MemorySink();
      Recorder recorder = start(builder(state, sink).physicalClock(() -> wrong));
      recorder.log("setd").set("r1", 1);
      recorder.close();
      long last = recorder.clock().last();
      List<Event> events = new ArrayList<>();
      for (EventBlock block : sink.blocks()) {
        for (BlockFrame frame : EventBlockCodec.decodeAll(EventBlockCodec.encode(block))) {
          events.addAll(((EventBlock) frame).events());
        }
      }
      assertThat(events).hasSize(3).allMatch(event -> event.physicalMicros() == wrong);
      assertThat(start(builder(state, new MemorySink())).tick()).isGreaterThan(last);
    }
  }

  @Test
  void start_strict_throwsForWhatCannotBeUsed() throws IOException {
    environment.put("RETROSCOPE_STRICT", "true");
    Path state = directory.resolve("state");
    Recorder first = start(builder(state, new MemorySink()));
    assertThatThrownBy(() -> builder(state, new MemorySink()).build())
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("another recorder");
    first.close();
    Files.writeString(state.resolve("clock"), "not a bound at all");
    assertThatThrownBy(() -> builder(state, new MemorySink()).build())
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("damaged");
    Files.delete(state.resolve("clock"));
    start(builder(state, new MemorySink())); // not left locked
  }

  /** Every step that a power loss must not undo is forced before the next one. */
  @Test
  void begin_fsync_forcesTheRunBeforeItsNameAndItsNameBeforeItReturns() throws IOException {
    Path state = directory.resolve("state").toAbsolutePath();
    List<String> forced = new ArrayList<>();
    Fsync fsync =
        path -> {
          Path run = path.resolveSibling("run");
          String text = Files.isDirectory(path) ? "" : Files.readString(path).strip();
          forced.add(path.getFileName() + ":" + text + (Files.exists(run) ? " over a run" : ""));
        };
    try (NodeState node = new NodeState(state, fsync, file -> ClockBound.inFile(file, false))) {
      assertThat(forced).containsExactly("state:", directory.toRealPath().getFileName() + ":");
      forced.clear();
      node.begin("a");
      assertThat(forced).containsExactly("run.new:running a", "state:");
      forced.clear();
      node.end("a");
      assertThat(forced).containsExactly("run.new:ended a over a run", "state:");
    }
  }

  @Test
  void force_interruptedCaller_forcesAndKeepsTheInterrupt() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "text");
    Thread.currentThread().interrupt();
    Fsync.DISK.force(file);
    Fsync.DISK.force(directory);
    assertThat(Thread.interrupted()).isTrue();
    assertThatThrownBy(() -> Fsync.DISK.force(directory.resolve("missing")))
        .isInstanceOf(IOException.class);
  }
}
