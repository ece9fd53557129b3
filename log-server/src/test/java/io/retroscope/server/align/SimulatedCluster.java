// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventMark;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A cluster generated from a seed, with known true clocks: they drift, some step, and messages
 * between the nodes are slow, lost, and recorded or not.
 */
final class SimulatedCluster {
  /** The begin of simulations, by an exact clock. */
  static final long START_MICROS = 1_795_200_000_000_000L;

  private final Traits traits;
  private final Random random;
  private final List<Machine> machines = new ArrayList<>();
  private final List<Recording> recordings = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(Comparator.comparingDouble(Timer::micros));
  private double now;
  private int messageCount;

  /** The properties of a cluster. Probabilities are from 0 to 1. */
  record Traits(
      long seed,
      int nodes,
      double seconds,
      double ratePpm,
      long offsetSpreadMicros,
      long granuleMicros,
      Delay delay,
      Pattern pattern,
      double messagesPerSecond,
      double recordedMessages,
      double lostEvents,
      int stepCount,
      long stepMicros,
      double restarts,
      long maxOffsetMicros,
      RemotePolicy policy,
      boolean ambiguousIds,
      double silences,
      double joins) {
    /** All properties, drawn from the seed; steps only if requested. */
    static Traits drawn(long seed, boolean steps) {
      Random random = SimulatedCluster.random(seed);
      boolean stampsOnly = random.nextInt(8) == 0 && !steps;
      return new Traits(
          seed,
          2 + random.nextInt(6),
          20 + random.nextInt(100),
          pick(random, 1, 20, 200, 2_000),
          pick(random, 0, 100, 5_000, 50_000, 2_000_000),
          pick(random, 1, 1, 1_000),
          any(random, Delay.values()),
          steps
              ? any(random, Pattern.ALL, Pattern.STAR, Pattern.RING)
              : any(random, Pattern.values()),
          pick(random, 1, 3, 10, 30) / (double) pick(random, 1, 1, steps ? 2 : 10),
          stampsOnly ? 0 : pick(random, 4, 4, 3, steps ? 2 : 1) / 4.0,
          pick(random, 0, 0, 1, 3) / 10.0,
          steps ? 1 : 0,
          pick(random, -500_000, -100_000, -60_000, 60_000, 100_000, 500_000),
          pick(random, 0, 0, 1, 3),
          pick(random, 60_000_000, 60_000_000, 20_000, 1_000),
          any(random, RemotePolicy.REFUSE, RemotePolicy.CLAMP),
          random.nextInt(4) == 0,
          pick(random, 0, 0, 1),
          pick(random, 0, 0, 1));
    }

    /** A copy without the properties that only earlier events reveal. */
    Traits readableBackwards() {
      return new Traits(
          seed,
          nodes,
          seconds,
          ratePpm,
          offsetSpreadMicros,
          granuleMicros,
          delay,
          pattern,
          messagesPerSecond,
          recordedMessages,
          lostEvents,
          stepCount,
          stepMicros,
          restarts,
          maxOffsetMicros,
          RemotePolicy.REFUSE,
          false,
          silences,
          joins);
    }

    @SafeVarargs
    private static <T> T any(Random random, T... values) {
      return values[random.nextInt(values.length)];
    }

    private static long pick(Random random, long... values) {
      return values[random.nextInt(values.length)];
    }
  }

  /** The distributions of message delays. */
  enum Delay {
    UNIFORM {
      @Override
      double draw(Random random, int sender, int receiver) {
        return 3_000 + random.nextInt(7_001);
      }
    },
    EXPONENTIAL {
      @Override
      double draw(Random random, int sender, int receiver) {
        return 3_000 - 4_000 * Math.log(1 - random.nextDouble());
      }
    },
    LAN {
      @Override
      double draw(Random random, int sender, int receiver) {
        return 50 - 200 * Math.log(1 - random.nextDouble());
      }
    },
    /** Some messages take almost no time, and some take seconds. */
    HEAVY_TAILED {
      @Override
      double draw(Random random, int sender, int receiver) {
        return Math.min(20e6, 100 * Math.pow(1 - random.nextDouble(), -1.5) - 100);
      }
    },
    /** One direction is much slower than the other. */
    ASYMMETRIC {
      @Override
      double draw(Random random, int sender, int receiver) {
        return (sender < receiver ? 100 : 20_000) + random.nextInt(500);
      }
    };

    abstract double draw(Random random, int sender, int receiver);
  }

  /** The patterns of senders and receivers. */
  enum Pattern {
    ALL,
    RING,
    STAR,
    CHAIN_ONE_WAY;

    int receiver(Random random, int sender, int nodes) {
      return switch (this) {
        case ALL -> (sender + 1 + random.nextInt(nodes - 1)) % nodes;
        case RING -> (sender + 1) % nodes;
        case STAR -> sender == 0 ? 1 + random.nextInt(nodes - 1) : 0;
        case CHAIN_ONE_WAY -> sender + 1 < nodes ? sender + 1 : sender;
      };
    }
  }

  /**
   * An event and its true time.
   *
   * @param trueMicros since the start
   */
  record Recording(Event event, int node, double trueMicros) {}

  /** A step of a clock. */
  record Step(int node, double trueMicros, long sizeMicros) {}

  private record Timer(double micros, Runnable action) {}

  SimulatedCluster(Traits traits) {
    this.traits = traits;
    this.random = random(~traits.seed());
    for (int i = 0; i < traits.nodes(); i++) {
      machines.add(new Machine(i));
    }
    double end = traits.seconds() * 1e6;
    for (int i = 0; i < traits.stepCount(); i++) {
      double at = end * (0.3 + 0.5 * random.nextDouble());
      int node = random.nextInt(traits.nodes());
      machines.get(node).clock.step(at, traits.stepMicros());
      steps.add(new Step(node, at, traits.stepMicros()));
    }
    machines.forEach(Machine::begin);
    while (!timers.isEmpty() && timers.peek().micros <= end) {
      Timer timer = timers.remove();
      now = timer.micros;
      timer.action.run();
    }
  }

  /** Mixes the seed, because neighbouring seeds of Random yield similar first values. */
  private static Random random(long seed) {
    return new Random(new SplittableRandom(seed).nextLong());
  }

  private void after(double micros, Runnable action) {
    timers.add(new Timer(now + micros, action));
  }

  /** All events that were not lost, in the order of true time. */
  List<Recording> recordings() {
    return recordings;
  }

  List<Step> steps() {
    return steps;
  }

  int nodeCount() {
    return machines.size();
  }

  static String name(int node) {
    return "n" + node;
  }

  /** The actual reading of a node's clock. */
  double clockMicros(int node, double trueMicros) {
    return machines.get(node).clock.at(trueMicros);
  }

  /** The amount to add to a node's clock to get the other's. */
  double offsetMicros(int reference, int node, double trueMicros) {
    return clockMicros(reference, trueMicros) - clockMicros(node, trueMicros);
  }

  /** A clock whose rate changes occasionally, within its bound. */
  private final class DriftingClock {
    private final List<double[]> stretches = new ArrayList<>();

    DriftingClock() {
      double rho = traits.ratePpm() * 1e-6;
      // Then no two clocks differ by more than rho while either of them advances by one.
      double most = rho / (2 + rho);
      double value =
          traits.offsetSpreadMicros() == 0 ? 0 : random.nextDouble() * traits.offsetSpreadMicros();
      double at = 0;
      double end = traits.seconds() * 1e6;
      while (at <= end) {
        double rate =
            random.nextInt(3) == 0
                ? (random.nextBoolean() ? most : -most)
                : most * (2 * random.nextDouble() - 1);
        double length = (5 + random.nextInt(60)) * 1e6;
        stretches.add(new double[] {at, value, rate});
        value += rate * length;
        at += length;
      }
    }

    void step(double at, long size) {
      double value = at(at) - at + size;
      int i = stretch(at);
      double rate = stretches.get(i)[2];
      stretches.add(i + 1, new double[] {at, value, rate});
      for (int k = i + 2; k < stretches.size(); k++) {
        stretches.get(k)[1] += size;
      }
    }

    double at(double micros) {
      double[] stretch = stretches.get(stretch(micros));
      return micros + stretch[1] + stretch[2] * (micros - stretch[0]);
    }

    private int stretch(double micros) {
      int i = stretches.size() - 1;
      while (i > 0 && stretches.get(i)[0] > micros) {
        i--;
      }
      return i;
    }
  }

  /** A node. */
  private final class Machine {
    private final int index;
    private final DriftingClock clock = new DriftingClock();
    private final double joins =
        random.nextDouble() < traits.joins() / 2 ? random.nextDouble() * traits.seconds() * 5e5 : 0;
    private final double silentFrom =
        random.nextDouble() < traits.silences()
            ? random.nextDouble() * traits.seconds() * 1e6
            : Double.POSITIVE_INFINITY;
    private final double silentTo = silentFrom + random.nextDouble() * 30e6;
    private final long granule = random.nextInt(3) == 0 ? 1 : traits.granuleMicros();
    private HybridLogicalClock hlc = newClock();
    private int incarnation;
    private long lastStamp;

    Machine(int index) {
      this.index = index;
    }

    private HybridLogicalClock newClock() {
      return new HybridLogicalClock(this::reading, traits.maxOffsetMicros(), traits.policy());
    }

    long reading() {
      return START_MICROS + Math.floorDiv((long) Math.floor(clock.at(now)), granule) * granule;
    }

    void begin() {
      after(
          joins,
          () ->
              record(
                  new EventBody.Start(
                      index + "-0", HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE)));
      after(joins + pause(), this::work);
      for (int i = 0; i < traits.restarts(); i++) {
        double at = random.nextDouble() * traits.seconds() * 1e6;
        if (at > joins) {
          after(at, this::restart);
        }
      }
    }

    private double pause() {
      return -Math.log(1 - random.nextDouble()) * 1e6 / traits.messagesPerSecond();
    }

    private void work() {
      if (now < silentFrom || now > silentTo) {
        act();
      }
      after(pause(), this::work);
    }

    private void act() {
      int to = traits.pattern().receiver(random, index, traits.nodes());
      if (to == index || random.nextInt(10) == 0) {
        record(new EventBody.LogLine("work", Map.of()));
        return;
      }
      boolean recorded = random.nextDouble() < traits.recordedMessages();
      boolean ambiguous =
          traits.ambiguousIds() && traits.lostEvents() == 0 && random.nextInt(4) == 0;
      String id = ambiguous ? "again" + random.nextInt(3) : "m" + messageCount++;
      String peer = ambiguous || random.nextInt(4) > 0 ? name(to) : "";
      long stamp = recorded ? record(new EventBody.Send(peer, id)) : tick();
      Machine receiver = machines.get(to);
      if (random.nextInt(50) > 0) {
        double delay = traits.delay().draw(random, index, to);
        after(delay, () -> receiver.receive(stamp, name(index), id, recorded));
        if (random.nextInt(50) == 0) {
          after(
              delay * (1 + random.nextDouble()),
              () -> receiver.receive(stamp, name(index), id, recorded));
        }
      }
    }

    private void receive(long remote, String from, String id, boolean recorded) {
      if (now < joins) {
        return;
      }
      HlcReading reading = new HlcReading();
      boolean inOrder = hlc.observe(remote, reading);
      lastStamp = reading.hlc;
      if (recorded) {
        add(
            reading,
            inOrder ? Set.of() : Set.of(EventMark.UNORDERED),
            new EventBody.Receive(from, id));
      } else if (random.nextBoolean()) {
        add(
            reading,
            inOrder ? Set.of() : Set.of(EventMark.UNORDERED),
            new EventBody.LogLine("got", Map.of()));
      }
    }

    /** The bound that was stored ahead of the clock exceeds the last stamp by at most its lead. */
    private void restart() {
      long ahead = random.nextInt((int) HybridLogicalClock.LEAD_MICROS);
      long bound =
          lastStamp == 0
              ? HlcTimestamp.pack(reading())
              : lastStamp + (ahead << HlcTimestamp.LOGICAL_BITS);
      boolean passed = HlcTimestamp.pack(reading()) > bound;
      long floor =
          passed
              ? HlcTimestamp.MIN_PACKED
              : bound + (HybridLogicalClock.LEAD_MICROS << HlcTimestamp.LOGICAL_BITS);
      hlc = new HybridLogicalClock(this::reading, Long.MAX_VALUE / 4, RemotePolicy.ACCEPT);
      hlc.observe(bound);
      HybridLogicalClock restored = newClock();
      incarnation++;
      record(
          new EventBody.Start(
              index + "-" + incarnation,
              floor,
              index + "-" + (incarnation - 1),
              EventBody.Spill.LOST));
      if (passed) {
        hlc = restored;
      }
    }

    private long tick() {
      lastStamp = hlc.tick();
      return lastStamp;
    }

    private long record(EventBody body) {
      HlcReading reading = new HlcReading();
      hlc.tick(reading);
      lastStamp = reading.hlc;
      add(reading, Set.of(), body);
      return reading.hlc;
    }

    private void add(HlcReading reading, Set<EventMark> marks, EventBody body) {
      if (random.nextDouble() < traits.lostEvents() && !(body instanceof EventBody.Start)) {
        return;
      }
      Event event = new Event(name(index), "", reading.hlc, reading.physicalMicros, 0, marks, body);
      recordings.add(new Recording(event, index, now));
    }
  }
}
