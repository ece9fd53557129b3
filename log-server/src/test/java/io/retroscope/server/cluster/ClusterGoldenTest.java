// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.align.ClockAlignment;
import io.retroscope.server.app.ClusterServer;
import io.retroscope.server.kafka.EventTopic;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.Submission.NumberedEvent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that three servers with a broker answer golden queries as one store does. */
@Tag("slow")
@Timeout(1_800)
class ClusterGoldenTest {
  /** Each recording needs three servers of its own: 1 tests all, which takes long. */
  private static final int LEAST_QUERIES = Integer.getInteger("retroscope.queries", 35);

  private static final PartThreads THREADS = new PartThreads();

  @TempDir Path folder;
  private int queryCount;

  @Test
  void goldenQueries_threeServersAndOneThatWasRestored_haveTheAnswersOfOneStore() throws Exception {
    Map<List<Event>, List<GoldenEvents>> recordings =
        GoldenEvents.all().stream()
            .filter(golden -> areInSeveralPartitions(golden.events()))
            .collect(
                Collectors.groupingBy(
                    GoldenEvents::events, LinkedHashMap::new, Collectors.toList()));
    try (KafkaBroker broker = KafkaBroker.start(folder.resolve("broker"))) {
      for (List<GoldenEvents> queries : recordings.values()) {
        if (queries.size() >= LEAST_QUERIES) {
          assertSameAnswers(broker, "t" + queryCount, queries);
          queryCount += queries.size();
        }
      }
    }
    assertThat(queryCount).isGreaterThan(100);
  }

  private static boolean areInSeveralPartitions(List<Event> events) {
    return events.stream()
            .map(event -> EventTopic.partition(event.node(), ClusterFixture.PARTITIONS))
            .distinct()
            .count()
        > 1;
  }

  private void assertSameAnswers(KafkaBroker broker, String topic, List<GoldenEvents> queries)
      throws Exception {
    Map<String, List<byte[]>> sent = new LinkedHashMap<>();
    Path data = folder.resolve(topic);
    try (EventStore store =
            EventStore.open(data.resolve("one"), StoreOptions.DEFAULT, PhysicalClock.system());
        ClusterFixture cluster = new ClusterFixture(broker, topic, data)) {
      List<EncodedFrame> frames = frames(queries.get(0).events());
      Receipt unused = store.append(new Submission.Frames(frames)).join();
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

  private static List<EncodedFrame> frames(List<Event> events) {
    List<NumberedEvent> lines = new ArrayList<>();
    events.stream()
        .sorted(Comparator.comparingLong(Event::hlc))
        .forEach(event -> lines.add(new NumberedEvent(lines.size() + 1L, event)));
    return EventProducer.frames(new Submission.Lines(lines, List.of(), 0));
  }

  private static void assertAnswers(
      EventStore store, ClusterFixture cluster, List<GoldenEvents> queries) {
    EventSource one =
        () ->
            new MergedView(
                THREADS,
                List.of(
                    new StoredPart(
                        new OpenViews(),
                        () -> store.open(ClockOffsets.UNKNOWN),
                        Optional::empty,
                        Optional.empty(),
                        CutPieces.EVENTS)),
                (marks, evidence) -> ClockAlignment.of(queries.get(0).events()));
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
