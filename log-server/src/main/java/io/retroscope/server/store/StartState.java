// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.ArrivalWindow;
import io.retroscope.blocks.Run;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.Interest;
import io.retroscope.server.store.BlockZone.LogZone;
import io.retroscope.server.store.BlockZone.NodeZone;
import io.retroscope.server.store.NodePast.FollowedVariable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the events before a stamp that determine the state at that stamp, and reads as few blocks
 * as possible. Used by one thread.
 */
final class StartState {
  /*
   * The search goes back from the stamp. The first SET or UNSET of a variable at a node settles the
   * variable: earlier writes make no difference. ADD and REMOVE do not settle it, and an event with
   * one of them is refused as a whole if a variable is not a set. So if such an event is needed,
   * all variables that it touches are open again below it. If ages are needed, a SET settles only
   * once a different value is found before it. A node's last restart or stop, once found, settles
   * all its variables.
   *
   * Besides values, a state contains the nodes' incarnations and the set of variables that state
   * changes ever wrote: for each such variable one event is kept, wherever it is.
   *
   * A block is read if, when its last stamp is due, its zone map shows that it may contain anything
   * that is still open, and left when nothing in it is. At the end the blocks that were read are
   * merged forward from the first event that is kept; of each variable's writes, those from the
   * settling one on are returned.
   */
  private final Interest interest;
  private final long before;
  private final Function<BlockZone, EventBlock> reader;
  private final Comparator<Run> ties;
  private final Map<String, NodePast> nodes = new HashMap<>();
  private final Map<String, Map<String, Optional<FollowedVariable>>> variables = new HashMap<>();

  /**
   * A search for the state before a stamp.
   *
   * @param before packed
   * @param reader reads the block of a zone
   * @param ties orders the events that two runs of a node have with the same stamp
   */
  StartState(
      Interest interest,
      long before,
      Function<BlockZone, EventBlock> reader,
      Comparator<Run> ties) {
    this.interest = interest;
    this.before = before;
    this.reader = reader;
    this.ties = ties;
  }

  /**
   * The rows of those events, in order of stamp and node.
   *
   * @param zones all blocks that begin before the stamp, in descending order of their last stamps
   */
  ArrivalWindow rows(List<BlockZone> zones) {
    Map<Long, BlockZone> read = new TreeMap<>();
    for (BlockZone zone : readBack(zones, this::mayHoldLives, Lens::noteLife)) {
      read.put(zone.id(), zone);
    }
    nodes.values().forEach(NodePast::endLife);
    for (BlockZone zone : readBack(zones, this::mayHoldWrites, Lens::noteWrites)) {
      read.put(zone.id(), zone);
    }
    long from = nodes.values().stream().mapToLong(NodePast::keptFrom).min().orElse(before);
    List<ZoneSource> sources =
        read.values().stream()
            .filter(zone -> zone.lastHlc() >= from)
            .map(zone -> new ZoneSource(zone, any -> true, reader))
            .toList();
    return new ArrivalWindow(sources, block -> new Lens(block)::isKept, from, before - 1, ties);
  }

  /** Returns the zones of the blocks that were read. */
  private List<BlockZone> readBack(
      List<BlockZone> zones, Predicate<BlockZone> mayMatter, BackwardRows.Visitor<Lens> visitor) {
    BackwardRows<Lens> rows =
        new BackwardRows<>(
            zones,
            before,
            zone -> mayMatter.test(zone) && !interest.isCancelled(),
            reader,
            Lens::new);
    rows.forEach(visitor);
    return rows.read();
  }

  private boolean mayHoldLives(BlockZone zone) {
    if (zone.nodes() instanceof SealedParts parts) {
      return parts.shape().lifecycle() && parts.hasNode(this::mayHaveLives);
    }
    return zone.nodes().stream()
        .anyMatch(part -> begins(part) && part.lifecycle() && mayHaveLives(part.node()));
  }

  private boolean mayHaveLives(String node) {
    return interest.counts(node) && !past(node).isLifeSettled();
  }

  private boolean begins(NodeZone part) {
    return part.firstHlc() < before;
  }

  private boolean mayHoldWrites(BlockZone zone) {
    if (zone.nodes() instanceof SealedParts parts) {
      SealedParts.Shape shape = parts.shape();
      List<FollowedVariable> written = followed(shape.log(), shape.written());
      return !written.isEmpty()
          && parts.hasNode(node -> mayHaveWrites(node, zone.lastHlc(), written));
    }
    return zone.nodes().stream().anyMatch(part -> begins(part) && mayHoldWrites(part));
  }

  private boolean mayHoldWrites(NodeZone part) {
    for (LogZone log : part.logs()) {
      if (mayHaveWrites(part.node(), part.lastHlc(), followed(log.log(), log.written()))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the state may depend on writes of variables at a node.
   *
   * @param lastHlc packed, the stamp that none of them is above
   */
  private boolean mayHaveWrites(String node, long lastHlc, List<FollowedVariable> written) {
    if (!interest.counts(node)) {
      return false;
    }
    NodePast past = past(node);
    boolean outlives = past.outlives(lastHlc);
    for (FollowedVariable variable : written) {
      if (!variable.isWritten() || (outlives && past.isOpen(variable))) {
        return true;
      }
    }
    return false;
  }

  private List<FollowedVariable> followed(String log, List<String> names) {
    if (!interest.logs().contains(log)) {
      return List.of();
    }
    List<FollowedVariable> followed = new ArrayList<>();
    for (String name : names) {
      FollowedVariable variable = followed(log, name);
      if (variable != null) {
        followed.add(variable);
      }
    }
    return followed;
  }

  private NodePast past(String node) {
    return nodes.computeIfAbsent(node, name -> new NodePast());
  }

  private @Nullable FollowedVariable followed(String log, String name) {
    return variables
        .computeIfAbsent(log, l -> new HashMap<>())
        .computeIfAbsent(
            name,
            n -> interest.follows(log, n) ? Optional.of(new FollowedVariable()) : Optional.empty())
        .orElse(null);
  }

  /** A block with its nodes and variables resolved to the objects of this search. */
  private final class Lens {
    private final EventBlock block;
    private final @Nullable NodePast[] nodes;
    private final boolean[] wanted;

    /** The followed variables by the indexes of log and name in the block. */
    private final @Nullable FollowedVariable[][] followed;

    Lens(EventBlock block) {
      this.block = block;
      nodes = new NodePast[block.nodes().size()];
      for (int i = 0; i < nodes.length; i++) {
        String node = block.nodes().get(i);
        nodes[i] = interest.counts(node) ? past(node) : null;
      }
      wanted = new boolean[block.logs().size()];
      followed = new FollowedVariable[wanted.length][];
      for (int log = 0; log < wanted.length; log++) {
        wanted[log] = interest.logs().contains(block.logs().get(log));
        followed[log] = new FollowedVariable[wanted[log] ? block.variables().size() : 0];
        for (int name = 0; name < followed[log].length; name++) {
          followed[log][name] =
              StartState.this.followed(block.logs().get(log), block.variables().get(name));
        }
      }
    }

    boolean noteLife(int row, long hlc) {
      NodePast node = nodes[block.nodeIndex(row)];
      if (node != null && block.kind(row) == EventKind.START) {
        node.noteStart(hlc, ((EventBody.Start) block.body(row)).incarnation());
      } else if (node != null && block.kind(row) == EventKind.STOP) {
        node.noteStop(hlc);
      }
      return false;
    }

    /** Returns whether a variable is open again. */
    boolean noteWrites(int row, long hlc) {
      NodePast node = nodes[block.nodeIndex(row)];
      EventKind kind = block.kind(row);
      if (node == null || kind != EventKind.STATE_CHANGE || !wanted[block.logIndex(row)]) {
        return false;
      }
      boolean rests = false;
      boolean open = false;
      for (int change = block.firstChange(row); change < block.endChange(row); change++) {
        FollowedVariable variable = variable(row, change);
        if (variable != null) {
          Operation operation = block.operation(change);
          rests |= operation == Operation.ADD || operation == Operation.REMOVE;
          open |= node.isOpen(variable);
          node.noteWritten(variable, hlc);
        }
      }
      if (!open || !node.outlives(hlc)) {
        return false;
      }
      return rests ? open(row, hlc, node) : settle(row, hlc, node);
    }

    private boolean open(int row, long hlc, NodePast node) {
      boolean news = false;
      for (int change = block.firstChange(row); change < block.endChange(row); change++) {
        FollowedVariable variable = variable(row, change);
        news |= variable != null && node.open(variable, hlc);
      }
      return news;
    }

    private boolean settle(int row, long hlc, NodePast node) {
      Map<FollowedVariable, Optional<Value>> values = new LinkedHashMap<>();
      for (int change = block.firstChange(row); change < block.endChange(row); change++) {
        FollowedVariable variable = variable(row, change);
        if (variable != null && block.operation(change) == Operation.UNSET) {
          values.put(variable, Optional.empty());
        } else if (variable != null) {
          // A variable that one event both sets and unsets is unset.
          values.merge(variable, Optional.of(block.value(change)), (a, b) -> a.isPresent() ? b : a);
        }
      }
      values.forEach(
          (variable, value) -> node.settle(variable, value.orElse(null), hlc, interest.usesAges()));
      return false;
    }

    private @Nullable FollowedVariable variable(int row, int change) {
      return followed[block.logIndex(row)][block.nameIndex(change)];
    }

    /** Whether the state depends on a row. */
    boolean isKept(int row) {
      NodePast node = nodes[block.nodeIndex(row)];
      if (node == null) {
        return false;
      }
      long hlc = block.hlc(row);
      EventKind kind = block.kind(row);
      if (kind == EventKind.START || kind == EventKind.STOP) {
        return node.isLifeKept(hlc);
      }
      return kind == EventKind.STATE_CHANGE
          && wanted[block.logIndex(row)]
          && (node.isKept(hlc) || isWriteKept(row, hlc, node));
    }

    private boolean isWriteKept(int row, long hlc, NodePast node) {
      for (int change = block.firstChange(row); change < block.endChange(row); change++) {
        FollowedVariable variable = variable(row, change);
        if (variable != null && node.isWriteKept(variable, hlc)) {
          return true;
        }
      }
      return false;
    }
  }
}
