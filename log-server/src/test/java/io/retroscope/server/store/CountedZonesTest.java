// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.sealed.Sealing;
import io.retroscope.blocks.zone.LongCounts;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.server.store.zone.BlockZone;
import io.retroscope.server.store.zone.ZoneWrites;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Zone maps and writes that are counted in bulk, and those by a look at each row. */
class CountedZonesTest {
  private static final int SEEDS = 500;

  @Test
  void of_randomBlocks_isWhatALookAtEachRowFinds() throws CorruptBlockException {
    int counted = 0;
    int others = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      for (EventBlock block : blocks(new Random(seed))) {
        assertThat(BlockZone.of(7, block))
            .as("seed %d", seed)
            .isEqualTo(BlockZone.ofRows(7, block));
        assertThat(ZoneWrites.of(block)).as("seed %d", seed).isEqualTo(ZoneWrites.ofRows(block));
        counted += LongCounts.of(block) == null ? 0 : 1;
        others += LongCounts.of(block) == null ? 1 : 0;
      }
    }
    assertThat(counted).isGreaterThan(SEEDS);
    assertThat(others).isGreaterThan(SEEDS / 5);
  }

  /** Blocks of one or several nodes, some of which do more than set numbers, and a sealed one. */
  private static List<EventBlock> blocks(Random random) throws CorruptBlockException {
    int nodes = 1 + random.nextInt(4);
    int variables = 1 + random.nextInt(random.nextInt(5) == 0 ? 90 : 4);
    boolean isMixed = random.nextInt(4) == 0;
    List<EventBlock> runs = new ArrayList<>();
    for (int run = 0; run < 2; run++) {
      EventBlockBuilder builder = new EventBlockBuilder().incarnation("i" + run, 0);
      for (int i = 0; i < 1 + random.nextInt(60); i++) {
        builder.add(event(random, nodes, variables, isMixed));
      }
      runs.add(builder.build());
    }
    List<EventBlock> blocks = new ArrayList<>(runs);
    Sealing sealing = new Sealing("l", new StoreNames(), Comparator.comparing(Run::node), 100);
    for (SealedBlock block : sealing.seal(runs)) {
      if (!block.rows().isEmpty()) {
        blocks.add(block.rows());
      }
    }
    return blocks;
  }

  private static Event event(Random random, int nodes, int variables, boolean isMixed) {
    String node = "n" + random.nextInt(nodes);
    String log = isMixed && random.nextInt(9) == 0 ? "m" : "l";
    long hlc = 1L + random.nextInt(50);
    if (isMixed && random.nextInt(9) == 0) {
      return new Event(node, log, hlc, new LogLine("a", Map.of("f", Value.of(1))));
    }
    boolean isText = isMixed && random.nextInt(9) == 0;
    Set<EventMark> marks = isMixed && random.nextInt(9) == 0 ? Set.of(EventMark.REPAIR) : Set.of();
    String name = "v" + random.nextInt(variables);
    Value value = isText ? Value.of("text") : Value.of(random.nextInt(9));
    StateChange body = new StateChange(List.of(new Change(Operation.SET, name, value)));
    return new Event(node, log, hlc, Event.NO_PHYSICAL, Event.NO_SEQUENCE, marks, body);
  }
}
