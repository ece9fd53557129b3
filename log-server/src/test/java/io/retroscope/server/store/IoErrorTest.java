// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.FaultTraffic.Summary;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Tests with reads, writes and syncs that fail with EIO, in a child process whose system calls a
 * small C library intercepts; requires Linux and a C compiler. The full number of rounds: {@code
 * mvn test -Pslow -pl log-server -am -Dtest=IoErrorTest -Dsurefire.failIfNoSpecifiedTests=false};
 * see {@link PowerCutTest} for its parameters.
 */
@Timeout(3_600)
class IoErrorTest {
  @TempDir(factory = TempDirFactory.Standard.class)
  Path directory;

  @Test
  void ioErrors_loseNothingInSilence() throws Exception {
    run(6);
  }

  @Test
  @Tag("slow")
  void manyIoErrors_loseNothingInSilence() throws Exception {
    run(FaultTraffic.rounds(300));
  }

  private void run(int rounds) throws Exception {
    Path source = directory.resolve("eio.c");
    Path library = directory.resolve("eio.so");
    try (InputStream in = IoErrorTest.class.getResourceAsStream("/faults/eio.c")) {
      Files.write(source, Objects.requireNonNull(in).readAllBytes());
    }
    Assumptions.assumeTrue(
        compiles("cc", "-shared", "-fPIC", "-O1", "-o", library.toString(), source.toString()),
        "a library that makes calls fail needs Linux and a C compiler");
    Path data = Files.createDirectories(directory.resolve("data")).toRealPath();
    ProcessBuilder child =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            Child.class.getName(),
            data.toString(),
            Long.toString(FaultTraffic.firstSeed()),
            Integer.toString(rounds));
    child.environment().put("LD_PRELOAD", library.toRealPath().toString());
    child.environment().put("FAULT_DIR", data.toString());
    child.environment().put("FAULT_CONTROL", directory.resolve("control").toString());
    Path log = directory.resolve("log");
    Process process = child.redirectErrorStream(true).redirectOutput(log.toFile()).start();

    assertThat(process.waitFor(1, TimeUnit.HOURS)).isTrue();

    String printed = Files.readString(log, StandardCharsets.UTF_8);
    assertThat(process.exitValue()).as(printed).isZero();
    String summary =
        printed.lines().filter(line -> line.startsWith("I/O errors")).findFirst().orElse("");
    assertThat(summary)
        .contains("0 lost in silence", "0 doubled")
        .doesNotContain(" 0 rounds", ", 0 acknowledged");
    System.out.println(summary);
  }

  private static boolean compiles(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** The program of the child process. */
  public static final class Child {
    private static final StoreOptions OPTIONS =
        new StoreOptions(0, new MemoryBudget(16 << 20), 60_000_000);

    private static final Path CONTROL =
        Path.of(Objects.requireNonNull(System.getenv("FAULT_CONTROL")));
    private final Path data;
    private final String what;
    private final Random random;
    private final FaultTraffic traffic;
    private int refusedStarts;
    private int warned;

    private Child(Path data, long seed) {
      this.data = data;
      this.what = "seed " + seed;
      this.random = new Random(seed);
      this.traffic = new FaultTraffic(random);
    }

    /**
     * Runs the rounds.
     *
     * @param args the folder, the first seed and the number of rounds
     */
    public static void main(String[] args) throws IOException {
      Summary summary = Summary.NOTHING;
      long first = Long.parseLong(args[1]);
      new Child(Path.of(args[0]).resolve("syncs"), first).acknowledgesNothingWithoutSyncs();
      for (long seed = first; seed < first + Integer.parseInt(args[2]); seed++) {
        summary = summary.plus(new Child(Path.of(args[0]).resolve("r" + seed), seed).run());
      }
      System.out.println(summary.text("I/O errors", first));
    }

    /** Only a failing system call shows that the store makes the call at all. */
    private void acknowledgesNothingWithoutSyncs() throws IOException {
      try (EventStore store = open()) {
        sendSome(store, 5);
        long before = traffic.acknowledgedCount();
        assertThat(before).isPositive();
        Files.writeString(CONTROL, "sync 1000");
        sendSome(store, 5);
        assertThat(traffic.acknowledgedCount()).as("with failing syncs").isEqualTo(before);
      } finally {
        Files.deleteIfExists(CONTROL);
      }
    }

    private Summary run() throws IOException {
      try (EventStore store = open()) {
        sendSome(store, 5);
      }
      List<String> kinds = new ArrayList<>(List.of("read", "write", "sync"));
      for (int life = 1 + random.nextInt(3); life > 0; life--) {
        String kind = kinds.get(random.nextInt(kinds.size()));
        boolean fromTheStart = random.nextInt(3) == 0;
        if (fromTheStart) {
          fail(kind);
        }
        try (EventStore store = open()) {
          sendSome(store, 2);
          fail(kind);
          sendSome(store, 6);
          warned += traffic.check(what + " with errors, " + kind, store) ? 1 : 0;
          assertThat(Files.exists(CONTROL)).isTrue();
        } catch (StoreException e) {
          refusedStarts++;
        } finally {
          Files.deleteIfExists(CONTROL);
        }
      }
      try (EventStore store = open()) {
        traffic.checkAll(what, store);
        traffic.sendAgain(store);
        traffic.checkAll(what, store);
      }
      return new Summary(1, traffic.acknowledgedCount(), refusedStarts, warned);
    }

    private EventStore open() {
      return EventStore.open(data, OPTIONS, () -> StoreFixture.NOW_MICROS);
    }

    private void sendSome(EventStore store, int count) {
      for (int i = 0; i < count; i++) {
        traffic.send(store);
      }
    }

    private void fail(String kind) throws IOException {
      Files.writeString(CONTROL, kind + " " + (random.nextInt(2) == 0 ? 1_000 : 200));
    }
  }
}
