// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.align.ClockAlignment;
import io.retroscope.server.app.ClusterServer;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.Submission.NumberedEvent;
import io.retroscope.server.store.run.StoreConflictException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that three servers with a broker answer golden queries as one store does. */
@Tag("slow")
@Timeout(3_600)
class ClusterGoldenTest {
  /** Each recording needs servers of its own, which mostly wait for the broker. */
  private static final int LANES = 3;

  private final AtomicInteger answeredCount = new AtomicInteger();
  @TempDir Path folder;

  @Test
  void goldenQueries_threeServersAndOneThatWasRestored_haveTheAnswersOfOneStore() throws Exception {
    Map<List<Event>, List<GoldenEvents>> recordings =
        GoldenEvents.all().stream()
            .collect(
                Collectors.groupingBy(
                    GoldenEvents::events, LinkedHashMap::new, Collectors.toList()));
    ExecutorService lanes = Executors.newFixedThreadPool(LANES);
    try (KafkaBroker broker = KafkaBroker.start(folder.resolve("broker"))) {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (List<GoldenEvents> queries : recordings.values()) {
        String topic = "t" + tasks.size();
        tasks.add(
            () -> {
              assertSameAnswers(broker, topic, queries);
              return null;
            });
      }
      List<String> failures = new ArrayList<>();
      for (Future<Void> task : lanes.invokeAll(tasks)) {
        try {
          Void unused = task.get();
        } catch (ExecutionException e) {
          failures.add(e.toString());
        }
      }
      assertThat(failures).isEmpty();
      assertThat(answeredCount).hasValueGreaterThan(110);
    } finally {
      lanes.shutdownNow();
    }
  }

  private void assertSameAnswers(KafkaBroker broker, String topic, List<GoldenEvents> queries)
      throws Exception {
    Map<String, List<byte[]>> sent = new LinkedHashMap<>();
    Path data = folder.resolve(topic);
    try (EventStore store =
            EventStore.open(data.resolve("one"), StoreOptions.DEFAULT, PhysicalClock.system());
        ClusterFixture cluster = new ClusterFixture(broker, topic, data)) {
      List<EncodedFrame> frames = frames(queries.get(0).events());
      if (!isStored(frames, store)) {
        return;
      }
      answeredCount.incrementAndGet();
      frames.forEach(
          frame ->
              sent.computeIfAbsent(
                      ((EventBlock) frame.content()).nodes().get(0), node -> new ArrayList<>())
                  .add(frame.bytes()));
      cluster.start(1);
      cluster.start(2);
      cluster.start(3);
      cluster.awaitPlacement();
      cluster.send(sent);
      assertAnswers(store, cluster, queries);
      for (int number = 1; number <= 3; number++) {
        cluster.stop(number);
      }
      cluster.start(4);
      cluster.awaitPlacement();
      assertAnswers(store, cluster, queries);
    }
  }

  /** No store takes several events of a run at one stamp, which some recordings have. */
  private static boolean isStored(List<EncodedFrame> frames, EventStore store) {
    try {
      Receipt unused = store.append(new Submission.Frames(frames)).join();
      return true;
    } catch (CompletionException e) {
      assertThat(e).hasCauseInstanceOf(StoreConflictException.class);
      return false;
    }
  }

  private static List<EncodedFrame> frames(List<Event> events) {
    List<NumberedEvent> lines = new ArrayList<>();
    events.stream()
        .sorted(Comparator.comparingLong(Event::hlc))
        .forEach(event -> lines.add(new NumberedEvent(lines.size() + 1L, event)));
    return EventProducer.frames(new Submission.Lines(lines, List.of(), 0));
  }

  private static void assertAnswers(
      EventStore store, ClusterFixture cluster, List<GoldenEvents> queries) {
    EventSource one = () -> store.open(ClockAlignment.of(queries.get(0).events()));
    for (GoldenEvents golden : queries) {
      List<String> expected = MergedViewTest.answer(one, golden.query());
      for (ClusterServer server : cluster.servers()) {
        assertThat(MergedViewTest.answer(server.cluster().source(), golden.query()))
            .as("%s: %s", golden.title(), golden.query())
            .isEqualTo(expected);
      }
    }
  }
}
