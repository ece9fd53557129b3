// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.blocks.RandomLog;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.EventMark;
import io.retroscope.event.LongColumns;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LongMergeTest {
  private static final int SEEDS = 300;
  private static final long[] NO_BORDERS = {};

  @Test
  void seal_randomNumbers_makesTheBytesOfTheOrdinaryWay() throws CorruptBlockException {
    int ties = 0;
    int several = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      List<EventBlock> arrivals = arrivals(random);
      List<Long> stamps = stamps(arrivals);
      long from = random.nextInt(3) > 0 ? Long.MIN_VALUE : any(stamps, random);
      long to = random.nextInt(3) > 0 ? Long.MAX_VALUE : any(stamps, random);
      long[] borders =
          random.longs(random.nextInt(4), 0, stamps.size()).map(i -> stamps.get((int) i)).toArray();
      Arrays.sort(borders);
      StoreNames names = new StoreNames();
      Sealing sealing = new Sealing(RandomLog.LOG, names, RandomLog.TIES, 1 + random.nextInt(200));
      List<SealedBlock> expected = sealing.sealRowByRow(arrivals, borders, from, to);
      List<SealedBlock> found =
          from == Long.MIN_VALUE
              ? sealing.seal(arrivals, borders, to)
              : sealing.seal(arrivals, from, to);
      if (from != Long.MIN_VALUE) {
        expected = sealing.sealRowByRow(arrivals, NO_BORDERS, from, to);
      }
      assertThat(found).as("seed %d", seed).hasSameSizeAs(expected);
      for (int i = 0; i < found.size(); i++) {
        assertThat(found.get(i).bytes()).as("seed %d", seed).isEqualTo(expected.get(i).bytes());
        ties += found.get(i).zone().cutCount() < found.get(i).rowCount() ? 1 : 0;
      }
      several += found.size() > 1 ? 1 : 0;
      assertThat(LongMerge.of(arrivals, RandomLog.LOG, from, to, names, RandomLog.TIES))
          .as("seed %d", seed)
          .isNotNull();
    }
    assertThat(ties).isGreaterThan(SEEDS);
    assertThat(several).isGreaterThan(SEEDS / 2);
  }

  @Test
  void of_blockThatDoesAnythingElse_isNull() {
    Event number = event("n0", 1, 0, 1, new Random(1));
    Change unset = new Change(Operation.UNSET, "r0", Value.NullValue.NULL);
    Change text = new Change(Operation.SET, "r0", Value.of("a"));
    Change set = new Change(Operation.SET, "r0", Value.of(1));
    for (Event other :
        List.of(
            with(number, RandomLog.LOG, Set.of(), List.of(unset)),
            with(number, RandomLog.LOG, Set.of(), List.of(text)),
            with(number, RandomLog.LOG, Set.of(), List.of(set, set)),
            with(number, RandomLog.LOG, Set.of(EventMark.REPAIR), List.of(set)),
            with(number, "other", Set.of(), List.of(set)),
            new Event("n0", RandomLog.LOG, number.hlc(), new LogLine("a", Map.of())))) {
      assertThat(merge(EventBlock.of(List.of(number)), EventBlock.of(List.of(number, other))))
          .as("%s", other)
          .isNull();
    }
    assertThat(merge(EventBlock.of(List.of(number)))).isNotNull();
  }

  @Test
  void add_rowsOfOtherKinds_isRefused() {
    EventBlock lines = EventBlock.of(List.of(new Event("n0", "l", 1, new LogLine("a", Map.of()))));
    assertThatThrownBy(() -> new LongColumns(1).add(lines, 0, 1, new int[1], new int[1]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static LongMerge merge(EventBlock... blocks) {
    return LongMerge.of(
        List.of(blocks),
        RandomLog.LOG,
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        new StoreNames(),
        RandomLog.TIES);
  }

  /** Blocks of several runs and of servers, decoded or made, of which a few share stamps. */
  private static List<EventBlock> arrivals(Random random) throws CorruptBlockException {
    List<EventBlock> arrivals = new ArrayList<>();
    int variables = 1 + random.nextInt(3);
    for (int run = 0; run < 1 + random.nextInt(12); run++) {
      long micros = 1_000L + random.nextInt(60);
      int step = 1 + random.nextInt(3);
      for (int number = 1; number <= 1 + random.nextInt(4); number++) {
        EventBlockBuilder builder = new EventBlockBuilder().incarnation("i" + run % 3, number);
        for (int i = 0; i < 1 + random.nextInt(60); i++) {
          micros += random.nextInt(1 + step);
          builder.add(event("n" + run % 5, micros, i, variables, random));
        }
        arrivals.add(decodedOrNot(builder.build(), random));
      }
    }
    if (random.nextInt(3) == 0) {
      List<Event> events = new ArrayList<>();
      arrivals.forEach(block -> events.addAll(block.events()));
      arrivals.add(EventBlock.of(events.subList(0, 1 + random.nextInt(events.size()))));
      StoreNames names = new StoreNames();
      Sealing sealing = new Sealing(RandomLog.LOG, names, RandomLog.TIES, 1_000);
      arrivals.add(sealing.seal(arrivals).get(0).rows());
    }
    Collections.shuffle(arrivals, random);
    return arrivals;
  }

  private static EventBlock decodedOrNot(EventBlock block, Random random)
      throws CorruptBlockException {
    return random.nextBoolean()
        ? block
        : EventBlockCodec.decodeBlock(EventBlockCodec.encode(block));
  }

  private static Event event(String node, long micros, int i, int variables, Random random) {
    long hlc = HlcTimestamp.pack(micros, random.nextInt(3) == 0 ? random.nextInt(3) : 0);
    long physical = random.nextInt(9) == 0 ? Event.NO_PHYSICAL : micros - random.nextInt(900);
    long sequence = random.nextInt(9) == 0 ? Event.NO_SEQUENCE : i * 2L + 1;
    String name =
        random.nextInt(150) == 0 ? "rare" : "r" + (variables - 1 - random.nextInt(variables));
    Value value = Value.of(random.nextInt(20) == 0 ? random.nextLong() : random.nextInt(9));
    return new Event(
        node,
        RandomLog.LOG,
        hlc,
        physical,
        sequence,
        Set.of(),
        new StateChange(List.of(new Change(Operation.SET, name, value))));
  }

  private static Event with(Event like, String log, Set<EventMark> marks, List<Change> changes) {
    return new Event(
        like.node(),
        log,
        like.hlc(),
        like.physicalMicros(),
        like.sequence(),
        marks,
        new StateChange(changes));
  }

  private static List<Long> stamps(List<EventBlock> blocks) {
    List<Long> stamps = new ArrayList<>();
    blocks.forEach(block -> block.events().forEach(event -> stamps.add(event.hlc())));
    return stamps;
  }

  private static long any(List<Long> stamps, Random random) {
    return stamps.get(random.nextInt(stamps.size())) + random.nextInt(3) - 1;
  }
}
