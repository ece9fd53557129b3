// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.Value;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Nodes that write one variable and send numbered blocks, with random faults: they crash, hang,
 * lose blocks, are cut off, step their clocks and run fast. Used by one thread.
 */
final class FaultyHistory {
  static final long START_MICROS = 1_795_200_000_000_000L;
  private static final long TICK_MICROS = 100_000;
  private static final long PROMISE_MICROS = 300_000;

  private final long seed;
  private final long startMicros;
  private final Random random;
  private final String log;
  private final List<OneNode> nodes = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();
  private long micros;

  FaultyHistory(long seed, long startMicros) {
    this.seed = seed;
    this.startMicros = startMicros;
    this.micros = startMicros;
    this.random = new Random(seed);
    this.log = "l" + seed;
    int count = 2 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      nodes.add(new OneNode("n" + seed + (char) ('a' + i)));
    }
  }

  long seed() {
    return seed;
  }

  /** Continues up to a time; returns what arrives until then. */
  List<EncodedFrame> until(long untilMicros) throws IOException {
    List<EncodedFrame> arrived = new ArrayList<>();
    for (; micros < untilMicros; micros += TICK_MICROS) {
      for (OneNode node : nodes) {
        node.fault();
        node.tick(arrived);
      }
    }
    return arrived;
  }

  /** Ends the running nodes; returns all that was kept back. */
  List<EncodedFrame> rest() throws IOException {
    List<EncodedFrame> arrived = new ArrayList<>();
    for (OneNode node : nodes) {
      node.end(arrived);
    }
    return arrived;
  }

  /** Random claims about the past. */
  List<String> claims(long nowMicros, int count) {
    List<String> claims = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long length = nowMicros - startMicros;
      long to = nowMicros - (long) (length * Math.pow(random.nextDouble(), 3));
      long from = to - (long) ((to - startMicros) * random.nextDouble());
      claims.add(
          "%s FROM %s ON TIME %s TO %s"
              .formatted(claim(), log, FalseClaimsTest.literal(from), FalseClaimsTest.literal(to)));
    }
    return claims;
  }

  private String claim() {
    String node = nodes.get(random.nextInt(nodes.size())).name;
    int high = 90 + random.nextInt(10);
    return switch (random.nextInt(6)) {
      case 0 -> "NEVER MAX(x) >= " + high;
      case 1 -> "ALWAYS MIN(x) >= " + (99 - high);
      case 2 -> "EVENTUALLY SPREAD(x) >= " + high;
      case 3 -> "NEVER x@%s >= %d".formatted(node, high - 10);
      case 4 -> "NEVER COUNT n IN NODES : (x@n >= %d) >= 2 FOR 300ms".formatted(high - 30);
      default -> "ALWAYS x@%s < 50 THEN MAX(x) > %d WITHIN 400ms".formatted(node, high - 40);
    };
  }

  @Override
  public String toString() {
    return String.join(", ", faults);
  }

  /** One node. */
  private final class OneNode {
    private final String name;
    private final List<Event> unsent = new ArrayList<>();
    private final List<EncodedFrame> kept = new ArrayList<>();
    private int run;
    private long number;
    private long sequence;
    private long lastHlc = Long.MIN_VALUE;
    private long offsetMicros;
    private long hangsUntil;
    private long downUntil;
    private long cutOffUntil;
    private long sentMicros;
    private boolean isKnown;

    OneNode(String name) {
      this.name = name;
      this.sentMicros = startMicros;
    }

    /** Begins a fault now and then. */
    void fault() {
      // Of a node that was never heard of, nothing can be said.
      if (random.nextInt(90) > 0 || downUntil > micros || !isKnown) {
        return;
      }
      long duration = 500_000L + random.nextInt(5_000_000);
      switch (random.nextInt(8)) {
        case 0 -> {
          note("crashes");
          unsent.clear();
          kept.clear();
          downUntil = random.nextInt(3) == 0 ? Long.MAX_VALUE : micros + duration;
          run = downUntil == Long.MAX_VALUE ? run : -run;
        }
        case 1 -> {
          note("hangs");
          hangsUntil = micros + duration;
        }
        case 2, 3, 4, 5 -> {
          note("is cut off");
          cutOffUntil = random.nextBoolean() ? Long.MAX_VALUE : micros + duration;
        }
        case 6 -> {
          note("steps its clock");
          offsetMicros += random.nextInt(4_000_000) - 2_000_000;
        }
        default -> {
          note("runs fast");
          offsetMicros += 600_000_000;
        }
      }
    }

    private void note(String fault) {
      faults.add("%s %s at %.1f s".formatted(name, fault, (micros - startMicros) / 1e6));
    }

    void tick(List<EncodedFrame> arrived) throws IOException {
      if (micros < downUntil || micros < hangsUntil) {
        return;
      }
      if (run <= 0) {
        start();
      }
      if (random.nextInt(4) == 0) {
        write();
      }
      if (micros - sentMicros >= PROMISE_MICROS) {
        send(arrived);
      }
      if (micros >= cutOffUntil) {
        arrived.addAll(kept);
        kept.clear();
        cutOffUntil = 0;
      }
    }

    private void start() {
      run = 1 - run;
      number = 0;
      sequence = 0;
      EventBody.Start start =
          new EventBody.Start("r" + run, HlcTimestamp.MIN_PACKED, "", Spill.LOST);
      unsent.add(event("", start));
    }

    private void write() {
      EventBody.Change change =
          new EventBody.Change(EventBody.Operation.SET, "x", Value.of(random.nextInt(100)));
      unsent.add(event(log, new EventBody.StateChange(List.of(change))));
    }

    private Event event(String ofLog, EventBody body) {
      sequence++;
      return new Event(name, ofLog, next(), Event.NO_PHYSICAL, sequence, Set.of(), body);
    }

    private long next() {
      lastHlc = Math.max(lastHlc + 1, HlcTimestamp.pack(micros + offsetMicros));
      return lastHlc;
    }

    private void send(List<EncodedFrame> arrived) throws IOException {
      sentMicros = micros;
      EncodedFrame frame = frame();
      boolean isBlock = !unsent.isEmpty();
      unsent.clear();
      if (isKnown && isBlock && random.nextInt(40) == 0) {
        note("loses block " + number);
      } else if (micros < cutOffUntil || (isBlock && random.nextInt(40) == 0)) {
        kept.add(frame);
      } else {
        arrived.add(frame);
        isKnown = true;
      }
    }

    private EncodedFrame frame() throws IOException {
      EventBlock block;
      if (unsent.isEmpty()) {
        block = EventBlock.heartbeat(name, "r" + run, number, next(), sequence, PROMISE_MICROS);
      } else {
        number++;
        EventBlockBuilder builder = new EventBlockBuilder().incarnation("r" + run, number);
        unsent.forEach(builder::add);
        block = builder.promise(next(), sequence, PROMISE_MICROS).build();
      }
      return new EncodedFrame(block, EventBlockCodec.encode(block));
    }

    void end(List<EncodedFrame> arrived) throws IOException {
      arrived.addAll(kept);
      kept.clear();
      if (micros >= downUntil && run > 0) {
        unsent.add(event("", new EventBody.Stop()));
        arrived.add(frame());
      }
    }
  }
}
