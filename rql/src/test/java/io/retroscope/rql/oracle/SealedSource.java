// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.blocks.merge.RowTest;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.sealed.Sealing;
import io.retroscope.blocks.zone.LongZone;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.NaturalOrder;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BiFunction;

/**
 * A source of events whose walks read sealed blocks of a few rows, of which late ones overlap
 * others, and blocks that arrived and are not sealed. Everything else is that of the events in
 * memory.
 */
final class SealedSource implements EventSource {
  private static final Comparator<Run> TIES =
      Comparator.comparing(Run::node, NaturalOrder.INSTANCE).thenComparing(Run::incarnation);

  private final EventSource memory;
  private final StoreNames names = new StoreNames();
  private final List<SealedBlock> sealed = new ArrayList<>();
  private final List<EventBlock> arrived = new ArrayList<>();
  private final Map<SealedBlock, LongZone> zones = new HashMap<>();
  private final boolean leavesOut;
  private int longBlocks;

  /**
   * A source with random borders.
   *
   * @param events of the logs {@code t} and of nodes, in order
   */
  SealedSource(EventSource memory, List<Event> events, Random random) {
    this.memory = memory;
    leavesOut = random.nextBoolean();
    int batch = 1 + random.nextInt(60);
    int lateOneOf = random.nextBoolean() ? Integer.MAX_VALUE : 4 + random.nextInt(30);
    int unsealedFrom = random.nextInt(3) == 0 ? random.nextInt(events.size()) : events.size();
    int rows = 1 + random.nextInt(30);
    Map<Integer, List<Event>> batches = new LinkedHashMap<>();
    for (int i = 0; i < events.size(); i++) {
      boolean isLate = random.nextInt(lateOneOf) == 1;
      int number = i >= unsealedFrom ? -1 : isLate ? Integer.MAX_VALUE : i / batch;
      batches.computeIfAbsent(number, n -> new ArrayList<>()).add(events.get(i));
    }
    batches.forEach(
        (number, own) -> {
          if (number < 0) {
            arrived.addAll(arrivals(own));
          } else {
            seal(arrivals(own), rows);
          }
        });
  }

  /**
   * Puts other zones in place of those of the blocks.
   *
   * @param others a function of the block's zone and its first stamp
   */
  void useZones(BiFunction<LongZone, Long, LongZone> others) {
    zones.replaceAll((block, zone) -> others.apply(zone, block.zone().firstHlc()));
  }

  /** Seals both logs, as a store does: starts and stops are in the log with the empty name. */
  private void seal(Collection<EventBlock> arrivals, int rows) {
    for (String log : List.of("", "t")) {
      List<EventBlock> own =
          arrivals.stream().filter(b -> log.isEmpty() || b.logs().contains(log)).toList();
      for (SealedBlock block : new Sealing(log, names, TIES, rows).seal(own)) {
        sealed.add(block);
        zoneOf(block).ifPresent(zone -> zones.put(block, zone));
      }
    }
  }

  /** The zone after it was stored. */
  private Optional<LongZone> zoneOf(SealedBlock block) {
    try {
      EventBlock rows = block.rows();
      Optional<LongZone> zone = LongZone.of(rows, 1);
      if (zone.isEmpty()) {
        return zone;
      }
      WireWriter out = new WireWriter();
      long first = block.zone().firstHlc();
      zone.get().write(out, first, rows.variables(), names.nodes());
      byte[] bytes = out.toByteArray();
      WireReader in = new WireReader(bytes, 0, bytes.length, 0);
      return LongZone.read(in, bytes, first, block.log(), rows.variables(), names.nodes());
    } catch (CorruptBlockException e) {
      throw new AssertionError(e);
    }
  }

  private static Collection<EventBlock> arrivals(List<Event> events) {
    Map<Run, EventBlockBuilder> builders = new LinkedHashMap<>();
    for (Event event : events) {
      builders
          .computeIfAbsent(
              new Run(event.node(), event.incarnation()),
              run -> new EventBlockBuilder().incarnation(run.incarnation(), 1))
          .add(event);
    }
    return builders.values().stream().map(EventBlockBuilder::build).toList();
  }

  /** The number of blocks read that were columns of LONGs. */
  int longBlocks() {
    return longBlocks;
  }

  @Override
  public View open() {
    View view = memory.open();
    return (View)
        Proxy.newProxyInstance(
            View.class.getClassLoader(),
            new Class<?>[] {View.class},
            (proxy, method, arguments) -> call(view, method, arguments));
  }

  private Object call(View view, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("scan") && arguments[0] instanceof Interest interest) {
      return scan(interest, (HlcRange) arguments[1]);
    }
    if (method.getName().equals("stateBefore")) {
      return scan(
          (Interest) arguments[0], new HlcRange(HlcTimestamp.MIN_PACKED, (long) arguments[1] - 1));
    }
    try {
      return method.invoke(view, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private ArrivalWindow scan(Interest interest, HlcRange range) {
    List<BlockSource> sources = new ArrayList<>();
    for (SealedBlock block : sealed) {
      sources.add(new SealedBlockSource(block, interest));
    }
    arrived.forEach(block -> sources.add(BlockSource.of(block)));
    sources.removeIf(source -> source.lastHlc() < range.from() || source.firstHlc() > range.to());
    return new ArrivalWindow(
        sources, RowTest.ofLogs(interest.logs()), range.from(), range.to(), TIES);
  }

  /** A sealed block that is read when it is due. */
  private final class SealedBlockSource implements BlockSource {
    private final SealedBlock block;
    private final Interest interest;

    SealedBlockSource(SealedBlock block, Interest interest) {
      this.block = block;
      this.interest = interest;
    }

    @Override
    public long firstHlc() {
      return block.zone().firstHlc();
    }

    @Override
    public long lastHlc() {
      return block.zone().lastHlc();
    }

    @Override
    public LongZone longZone() {
      return zones.get(block);
    }

    @Override
    public EventBlock read() {
      try {
        EventBlock rows =
            leavesOut ? block.rows(name -> interest.follows(block.log(), name)) : block.rows();
        longBlocks += !rows.isEmpty() && rows.writesLongsOnly() ? 1 : 0;
        return rows.isEmpty() ? null : rows;
      } catch (CorruptBlockException e) {
        throw new AssertionError(e);
      }
    }
  }
}
