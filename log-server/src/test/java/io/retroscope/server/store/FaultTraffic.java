// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.disk.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Events that are submitted to a store during failures, with checks afterwards: acknowledged events
 * are stored, all events are stored at most once, and losses are reported. Each batch is sent as
 * lines of one node or as a block of another, occasionally as both.
 */
final class FaultTraffic {
  private final Random random;
  private final Set<String> sent = new HashSet<>();
  private final Set<String> acknowledged = new HashSet<>();
  private final List<Submission> unanswered = new ArrayList<>();
  private long nextMicros = 1_000_000;
  private long nextBlock = 1;

  FaultTraffic(Random random) {
    this.random = random;
  }

  /** The totals of a run of many rounds. */
  record Summary(long rounds, long acknowledged, long refusals, long warned) {
    static final Summary NOTHING = new Summary(0, 0, 0, 0);

    Summary plus(Summary other) {
      return new Summary(
          rounds + other.rounds,
          acknowledged + other.acknowledged,
          refusals + other.refusals,
          warned + other.warned);
    }

    String text(String what, long firstSeed) {
      return "%s: %d rounds from seed %d, %d acknowledged events, 0 lost in silence, 0 doubled; %d starts refused, %d answers warned"
          .formatted(what, rounds, firstSeed, acknowledged, refusals, warned);
    }
  }

  /** The requested number of rounds. */
  static int rounds(int otherwise) {
    return Integer.getInteger("retroscope.rounds", otherwise);
  }

  /** The seed of the first round; each round has the next one. */
  static long firstSeed() {
    return Long.getLong("retroscope.seed", 20261122);
  }

  /** Submits a few batches concurrently and waits for their answers. */
  void send(EventStore store) {
    List<Submission> batch = new ArrayList<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      batch.add(next());
    }
    send(store, batch);
  }

  /** Submits again the batches that were not acknowledged, as a sender does. */
  void sendAgain(EventStore store) {
    List<Submission> again = List.copyOf(unanswered);
    unanswered.clear();
    send(store, again);
  }

  private void send(EventStore store, List<Submission> batch) {
    List<CompletableFuture<Receipt>> answers = new ArrayList<>();
    for (Submission submission : batch) {
      try {
        answers.add(store.append(submission));
      } catch (StoreException e) {
        answers.add(CompletableFuture.failedFuture(e));
      }
    }
    for (int i = 0; i < batch.size(); i++) {
      try {
        Receipt unused = answers.get(i).join();
        acknowledged.addAll(keys(batch.get(i)));
      } catch (CompletionException e) {
        assertThat(e).hasCauseInstanceOf(StoreException.class);
        unanswered.add(batch.get(i));
      }
    }
  }

  private Submission next() {
    List<Event> events = new ArrayList<>();
    boolean asBlock = random.nextBoolean();
    String node = asBlock ? "b" : "l";
    for (int i = 1 + random.nextInt(20); i > 0; i--) {
      nextMicros += 1 + random.nextInt(1_000);
      events.add(set(node, "l", hlc(nextMicros), "x".repeat(1 + random.nextInt(200)), nextMicros));
    }
    Submission submission =
        asBlock
            ? frames(block("i", nextBlock++, events.get(events.size() - 1).hlc(), events))
            : lines(events);
    sent.addAll(keys(submission));
    return submission;
  }

  private static Set<String> keys(Submission submission) {
    Set<String> keys = new HashSet<>();
    if (submission instanceof Submission.Lines batch) {
      batch.lines().forEach(line -> keys.add(key(line.event())));
    } else if (submission instanceof Submission.Frames batch) {
      for (Submission.EncodedFrame frame : batch.frames()) {
        ((io.retroscope.event.EventBlock) frame.content())
            .events()
            .forEach(event -> keys.add(key(event)));
      }
    }
    return keys;
  }

  private static String key(Event event) {
    return event.node() + event.of("").body() + event.hlc();
  }

  int acknowledgedCount() {
    return acknowledged.size();
  }

  /** The number of batches that were not acknowledged, and not sent again. */
  int unansweredCount() {
    return unanswered.size();
  }

  /**
   * Checks the content of a store.
   *
   * @return whether some events are missing, and reported as missing
   */
  boolean check(String what, EventStore store) {
    Map<String, Integer> found = new HashMap<>();
    List<String> warnings;
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      view.scan(Set.of("l"), HlcRange.ALL)
          .forEachRemaining(event -> found.merge(key(event), 1, Integer::sum));
      warnings = view.warnings(HlcRange.ALL);
    }
    assertThat(found.values()).as("%s: stored twice", what).allMatch(count -> count == 1);
    assertThat(sent).as("%s: never sent", what).containsAll(found.keySet());
    Set<String> lost = new HashSet<>(acknowledged);
    lost.removeAll(found.keySet());
    if (!lost.isEmpty()) {
      assertThat(warnings).as("%s: %d lost in silence", what, lost.size()).isNotEmpty();
    }
    return !lost.isEmpty();
  }

  /** Checks that no event is missing. */
  void checkAll(String what, EventStore store) {
    assertThat(check(what, store)).as("%s: acknowledged events are missing", what).isFalse();
  }
}
