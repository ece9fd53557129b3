// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.event.EventBlock;
import io.retroscope.recorder.RecorderHealth.Status;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.MemorySink;
import io.retroscope.sink.SinkStatistics;
import java.lang.management.ManagementFactory;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecorderHealthTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path directory;

  private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

  /** A sink that reports losses. */
  private static final class Lossy implements EventSink {
    @Override
    public void accept(EventBlock block) {}

    @Override
    public boolean flush(Duration timeout) {
      return true;
    }

    @Override
    public SinkStatistics statistics() {
      return new SinkStatistics(7, 5, 3, 2, 11, 13, "nowhere", "no reason");
    }

    @Override
    public void close() {}
  }

  @Test
  void health_allRecorded_hasNoReasons() {
    Recorder recorder = Recorder.builder().node("h1").sink(new MemorySink()).build();
    assertThat(recorder.health()).isEqualTo(new RecorderHealth(Status.RECORDING, List.of()));
    assertThat(recorder.health()).hasToString("recording");
    recorder.close();
    assertThat(recorder.health()).hasToString("not recording: the recorder is closed");
  }

  @Test
  void health_lossesOfTheSink_areLossesAndCounted() {
    try (Recorder recorder = Recorder.builder().node("h1").sink(new Lossy()).build()) {
      assertThat(recorder.statistics().lostBySink()).isEqualTo(7);
      assertThat(recorder.statistics().retries()).isEqualTo(3);
      assertThat(recorder.statistics().refusedBlocks()).isEqualTo(2);
      assertThat(recorder.statistics().waitingBytes()).isEqualTo(11);
      assertThat(recorder.statistics().spilledBytes()).isEqualTo(13);
      assertThat(recorder.health()).hasToString("recording with loss: 7 events lost by the sink");
    }
  }

  /** A sink that accepts nothing before it is released. */
  private static final class Stuck implements EventSink {
    private final CountDownLatch released = new CountDownLatch(1);

    @Override
    public void accept(EventBlock block) {
      try {
        assertThat(released.await(60, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public boolean flush(Duration timeout) {
      return true;
    }

    @Override
    public void close() {}
  }

  @Test
  void statistics_eventsBehindAStuckSink_areWaiting() {
    Stuck sink = new Stuck();
    Recorder recorder = Recorder.builder().node("h1").sink(sink).ringCapacity(8).build();
    EventLog log = recorder.log("setd");
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              log.set("r1", 1);
              return recorder.statistics().waiting() == 8 && recorder.statistics().dropped() > 0;
            });
    sink.released.countDown();
    await().atMost(PATIENCE).until(() -> recorder.statistics().waiting() == 0);
    recorder.close();
    assertThat(recorder.statistics().waiting()).isZero();
  }

  @Test
  void properties_ofAFramework_replaceThoseOfTheSystem() {
    Map<String, String> properties =
        Map.of("retroscope.node", "orders", "retroscope.file", directory.resolve("t") + "");
    try (Recorder recorder = Recorder.builder().properties(properties::get).build()) {
      assertThat(recorder.node()).isEqualTo("orders");
      assertThat(recorder.health()).hasToString("recording");
    }
    assertThat(directory.resolve("t")).exists();
  }

  @Test
  void health_missedAndCaveats_areNamed() {
    try (Recorder recorder = Recorder.builder().node("h1").sink(new MemorySink()).build()) {
      recorder.caveat("the link to followers is not traced");
      recorder.caveat("a second");
      recorder.clearCaveat("a second");
      assertThat(recorder.health()).hasToString("recording: the link to followers is not traced");
      recorder.missed();
      assertThat(recorder.health().status()).isEqualTo(Status.RECORDING_WITH_LOSS);
      assertThat(recorder.health().reasons()).contains("1 event missed by an integration");
    }
  }

  @Test
  void jmx_whileTheRecorderIsOpen_showsHealthAndEveryCount() throws Exception {
    ObjectName name = new ObjectName("io.retroscope:type=Recorder,node=orders@h1");
    try (Recorder recorder = Recorder.builder().node("orders@h1").sink(new Lossy()).build()) {
      await().atMost(PATIENCE).until(() -> recorder.flush(Duration.ofSeconds(1)));
      RecorderMXBean bean = JMX.newMXBeanProxy(server, name, RecorderMXBean.class);
      assertThat(bean.getNode()).isEqualTo("orders@h1");
      assertThat(bean.getIncarnation()).isEqualTo(recorder.incarnation());
      assertThat(bean.getHealth()).isEqualTo(recorder.health().toString()).contains("7 events");
      for (RecordComponent count : RecorderStatistics.class.getRecordComponents()) {
        assertThat(bean.getStatistics()).containsKey(count.getName());
      }
      assertThat(bean.getStatistics()).containsEntry("lostBySink", 7L);
    }
    assertThat(server.isRegistered(name)).isFalse();
  }

  @Test
  void jmx_twoRecordersOfOneOddName_areBothShown() throws Exception {
    String node = "a,b=\"c\":*";
    Recorder first = Recorder.builder().node(node).sink(new MemorySink()).build();
    Recorder second = Recorder.builder().node(node).sink(new MemorySink()).build();
    assertThat(recordersOf(node)).hasSize(2);
    first.close();
    assertThat(recordersOf(node)).hasSize(1);
    second.close();
    assertThat(recordersOf(node)).isEmpty();
  }

  /** A service on a JVM with few modules. */
  public static final class Small {
    /** Prints the recorder's health. */
    public static void main(String[] args) {
      try (Recorder recorder = Recorder.builder().node("h1").sink(new MemorySink()).build()) {
        recorder.log("setd").set("r1", 1);
        boolean flushed = recorder.flush(Duration.ofSeconds(60));
        System.out.println(recorder.health() + ", flushed: " + flushed);
      }
    }
  }

  @Test
  void jmx_notInTheJvm_isDoneWithout() throws Exception {
    String output =
        new ChildProcess(directory)
            .option("--limit-modules=java.net.http")
            .run(Small.class, Map.of());
    assertThat(output).isEqualTo("recording, flushed: true\n");
  }

  private Set<ObjectName> recordersOf(String node) throws Exception {
    return server.queryNames(
        new ObjectName("io.retroscope:type=Recorder,node=" + ObjectName.quote(node) + ",*"), null);
  }
}
