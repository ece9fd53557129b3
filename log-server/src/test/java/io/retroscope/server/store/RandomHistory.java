// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.lines;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * A short history of some nodes, as blocks and lines that overlap and arrive late: the logs {@code
 * a} and {@code b}, numbers x and y, sets s, and rarely written variables.
 */
final class RandomHistory {
  private static final int EVENTS = 300;

  private final Random random;
  private final int blockEvents;
  private final int nodeCount;
  private final List<Event> events = new ArrayList<>();

  RandomHistory(Random random) {
    this(random, 25);
  }

  /** A history in blocks of at most that many events. */
  RandomHistory(Random random, int blockEvents) {
    this.random = random;
    this.blockEvents = blockEvents;
    this.nodeCount = 1 + random.nextInt(5);
    Map<String, Long> latest = new LinkedHashMap<>();
    long micros = 1_000;
    for (int i = 0; i < EVENTS; i++) {
      // Small steps, so that nodes have common stamps; occasionally a silence.
      micros += random.nextInt(60) == 0 ? 250_000 : random.nextInt(3);
      String node = "n" + (1 + random.nextInt(nodeCount));
      long hlc = HlcTimestamp.pack(micros, random.nextInt(2));
      if (latest.getOrDefault(node, Long.MIN_VALUE) < hlc) {
        latest.put(node, hlc);
        events.add(event(node, hlc));
      }
    }
  }

  NavigableSet<Long> stamps() {
    NavigableSet<Long> stamps = new TreeSet<>();
    events.forEach(event -> stamps.add(event.hlc()));
    return stamps;
  }

  /** Some nodes send blocks, the others lines, which the server collects into common blocks. */
  void appendTo(EventStore store) {
    submissions().forEach(submission -> store.append(submission).join());
  }

  /**
   * Appends the events to both stores in the same order. The second one sometimes seals a batch of
   * those that it has and that end below a random stamp.
   */
  void appendTo(EventStore store, EventStore sealing) {
    List<Long> stamps = new ArrayList<>(stamps());
    for (Submission submission : submissions()) {
      store.append(submission).join();
      sealing.append(submission).join();
      if (random.nextInt(6) == 0) {
        sealing.seal(stamps.get(random.nextInt(stamps.size())));
      }
    }
  }

  private List<Submission> submissions() {
    List<Submission> submissions = new ArrayList<>();
    List<Event> loose = new ArrayList<>();
    for (int n = 1; n <= nodeCount; n++) {
      String node = "n" + n;
      List<Event> own =
          new ArrayList<>(events.stream().filter(e -> e.node().equals(node)).toList());
      if (random.nextInt(3) == 0) {
        loose.addAll(own);
        continue;
      }
      own.removeIf(event -> event.body() instanceof EventBody.Heartbeat);
      if (random.nextInt(3) == 0) {
        // Some events arrive in a later block than their successors.
        for (int i = 1; i < own.size(); i += 1 + random.nextInt(20)) {
          Collections.swap(own, i - 1, Math.min(own.size() - 1, i + random.nextInt(9)));
        }
      }
      long number = 1;
      for (int from = 0, to; from < own.size(); from = to) {
        to = Math.min(own.size(), from + 1 + random.nextInt(blockEvents));
        submissions.add(frames(block("i", number++, HlcTimestamp.pack(1), own.subList(from, to))));
      }
    }
    Collections.shuffle(loose, random);
    for (int from = 0, to; from < loose.size(); from = to) {
      to = Math.min(loose.size(), from + 1 + random.nextInt(blockEvents));
      submissions.add(lines(loose.subList(from, to)));
    }
    Collections.shuffle(submissions, random);
    return submissions;
  }

  private Event event(String node, long hlc) {
    return switch (random.nextInt(60)) {
      case 0 -> new Event(node, "", hlc, new EventBody.Stop());
      case 1 -> new Event(node, "", hlc, start());
      case 2, 3 -> new Event(node, "", hlc, new EventBody.Heartbeat());
      case 4, 5, 6 -> new Event(node, log(), hlc, line());
      case 7 -> new Event(node, log(), hlc, new EventBody.Send("n1", "m" + random.nextInt(9)));
      case 8 -> new Event(node, log(), hlc, new EventBody.Receive("n2", "m" + random.nextInt(9)));
      default -> {
        Set<EventMark> marks = random.nextInt(40) == 0 ? Set.of(EventMark.REPAIR) : Set.of();
        yield new Event(
            node,
            log(),
            hlc,
            hlc >> HlcTimestamp.LOGICAL_BITS,
            Event.NO_SEQUENCE,
            marks,
            new EventBody.StateChange(changes()));
      }
    };
  }

  private String log() {
    return random.nextInt(4) == 0 ? "b" : "a";
  }

  private EventBody start() {
    return new EventBody.Start(
        "i" + random.nextInt(3), HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE);
  }

  private EventBody line() {
    Map<String, Value> fields = new LinkedHashMap<>();
    if (random.nextBoolean()) {
      fields.put(random.nextInt(3) == 0 ? "x" : "tag", number());
    }
    return new EventBody.LogLine("line " + random.nextInt(5), fields);
  }

  private List<Change> changes() {
    List<Change> changes = new ArrayList<>();
    do {
      changes.add(change());
    } while (random.nextInt(3) == 0);
    return changes;
  }

  private Change change() {
    return switch (random.nextInt(30)) {
      case 0 -> set("rare", number());
      case 1 -> random.nextInt(8) == 0 ? set("message", number()) : set("rest", number());
      case 2 -> new Change(Operation.UNSET, random.nextBoolean() ? "x" : "s", NullValue.NULL);
      case 3, 4, 5, 6 -> new Change(Operation.ADD, setName(), Value.setOf(number()));
      case 7, 8 -> new Change(Operation.REMOVE, setName(), Value.setOf(number()));
      case 9, 10 -> set("s", Value.setOf(number(), number()));
      case 11, 12, 13, 14, 15 -> set("y", number());
      case 16, 17, 18, 19 -> set("idle", number());
      default -> set("x", number());
    };
  }

  /** Rarely a variable that is not a set, so that the event is refused. */
  private String setName() {
    return random.nextInt(10) == 0 ? "x" : "s";
  }

  private Value number() {
    return random.nextInt(6) == 0 ? Value.of(1.0) : Value.of((long) random.nextInt(3));
  }

  private static Change set(String variable, Value value) {
    return new Change(Operation.SET, variable, value);
  }
}
