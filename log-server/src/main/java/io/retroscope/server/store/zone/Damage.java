// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.store.zone.BlockZone.NodeZone;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The known losses of acknowledged data: blocks that cannot be read, and data that a start with
 * {@code --recover} had to leave out. Thread-safe.
 */
public final class Damage {
  private static final Logger logger = LoggerFactory.getLogger(Damage.class);

  private final List<String> losses;
  private final Map<Long, DamagedBlock> blocks = new ConcurrentSkipListMap<>();

  private record DamagedBlock(HlcRange range, List<Gap> gaps, String sentence) {
    Incompleteness reason() {
      return new Incompleteness.Damaged(range, sentence);
    }
  }

  /** The sentences that earlier starts recorded. */
  public Damage(List<String> losses) {
    this.losses = List.copyOf(losses);
  }

  /** Records that a block cannot be read; the first report of each block is logged. */
  public void addBlock(BlockZone zone, String reason) {
    String nodes = zone.nodes().stream().map(NodeZone::node).collect(Collectors.joining(", "));
    long events = zone.nodes().stream().mapToLong(NodeZone::eventCount).sum();
    List<Gap> gaps =
        zone.nodes().stream()
            .map(
                node ->
                    new Gap(
                        node.node(),
                        new HlcRange(node.firstHlc(), node.lastHlc()),
                        node.eventCount()))
            .toList();
    add(
        zone.id(),
        new DamagedBlock(
            new HlcRange(zone.firstHlc(), zone.lastHlc()),
            gaps,
            "block %d is damaged and left out: %d events of %s from %s to %s"
                .formatted(
                    zone.id(),
                    events,
                    nodes,
                    new HlcTimestamp(zone.firstHlc()),
                    new HlcTimestamp(zone.lastHlc()))),
        reason);
  }

  /** Records a block whose zone map cannot be read either. */
  public void addUnknownBlock(long id, String reason) {
    String sentence = "block %d is damaged and left out; its content is not known".formatted(id);
    add(id, new DamagedBlock(HlcRange.ALL, List.of(), sentence), reason);
  }

  private void add(long id, DamagedBlock block, String reason) {
    if (blocks.putIfAbsent(id, block) == null) {
      logger.error("{}: {}", block.sentence, reason);
    }
  }

  /** The empty block that replaces a block that cannot be read. */
  public static EventBlock nothing() {
    return EventBlock.of(List.of());
  }

  /** The events of damaged blocks that touch a range. */
  public List<Gap> gaps(HlcRange range) {
    List<Gap> gaps = new ArrayList<>();
    for (DamagedBlock block : blocks.values()) {
      block.gaps.stream().filter(gap -> gap.range().overlaps(range)).forEach(gaps::add);
    }
    return gaps;
  }

  /** What is missing in the range. */
  public List<Incompleteness> reasons(HlcRange range) {
    List<Incompleteness> reasons = new ArrayList<>();
    for (String loss : losses) {
      reasons.add(new Incompleteness.Damaged(HlcRange.ALL, loss));
    }
    for (DamagedBlock block : blocks.values()) {
      if (block.range.overlaps(range)) {
        reasons.add(block.reason());
      }
    }
    return reasons;
  }

  /** A summary of the damage in one sentence, for operators. */
  public Optional<String> summary() {
    return blocks.values().stream()
        .findFirst()
        .map(
            first ->
                blocks.size() == 1
                    ? first.sentence
                    : first.sentence + ", and " + (blocks.size() - 1) + " more blocks");
  }

  /** The sentences of earlier starts with {@code --recover}. */
  public List<String> losses() {
    return losses;
  }

  public int blockCount() {
    return blocks.size();
  }
}
