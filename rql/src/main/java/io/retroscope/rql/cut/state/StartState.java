// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.state.NodePast.FollowedVariable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the events before a stamp that determine the state at that stamp, and reads as few blocks
 * as possible. Used by one thread.
 *
 * @param <B> the type of blocks that are not read
 */
public final class StartState<B> {
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
  private final StateBlocks<B> blocks;
  private final Comparator<Run> ties;
  private final Map<String, NodePast> nodes = new HashMap<>();
  private final Map<String, Map<String, Optional<FollowedVariable>>> variables = new HashMap<>();

  /**
   * A search for the state before a stamp.
   *
   * @param before packed
   * @param ties orders the events that two runs of a node have with the same stamp
   */
  public StartState(Interest interest, long before, StateBlocks<B> blocks, Comparator<Run> ties) {
    this.interest = interest;
    this.before = before;
    this.blocks = blocks;
    this.ties = ties;
  }

  /**
   * The rows of those events, in order of stamp and node.
   *
   * @param zones all blocks that begin before the stamp, in descending order of their last stamps
   */
  public ArrivalWindow rows(List<B> zones) {
    Map<Long, B> read = new TreeMap<>();
    List<B> ofLives =
        readBack(zones, this::mayHoldLives, (lens, row, hlc) -> lens.noteLife(row, hlc));
    ofLives.forEach(zone -> read.put(blocks.number(zone), zone));
    nodes.values().forEach(NodePast::endLife);
    List<B> ofWrites =
        readBack(zones, this::mayHoldWrites, (lens, row, hlc) -> lens.noteWrites(row, hlc));
    ofWrites.forEach(zone -> read.put(blocks.number(zone), zone));
    long from = nodes.values().stream().mapToLong(NodePast::keptFrom).min().orElse(before);
    List<BlockSource> sources =
        read.values().stream()
            .filter(zone -> blocks.lastHlc(zone) >= from)
            .map(blocks::source)
            .toList();
    return new ArrivalWindow(sources, block -> new Lens(block)::isKept, from, before - 1, ties);
  }

  /** Returns the zones of the blocks that were read. */
  private List<B> readBack(
      List<B> zones, Predicate<B> mayMatter, BackwardRows.Visitor<Lens> visitor) {
    BackwardRows<B, Lens> rows =
        new BackwardRows<>(
            blocks,
            zones,
            before,
            zone -> mayMatter.test(zone) && !interest.isCancelled(),
            Lens::new);
    rows.forEach(visitor);
    return rows.read();
  }

  private boolean mayHoldLives(B zone) {
    return blocks.mayHoldLives(zone, before, this::mayHaveLives);
  }

  private boolean mayHaveLives(String node) {
    return interest.counts(node) && !past(node).isLifeSettled();
  }

  private boolean mayHoldWrites(B zone) {
    return blocks.mayHoldWrites(zone, before, this::mayHoldWrites);
  }

  private boolean mayHoldWrites(
      String log, List<String> names, long lastHlc, StateBlocks.Nodes written) {
    List<FollowedVariable> followed = followed(log, names);
    return !followed.isEmpty() && written.any(node -> mayHaveWrites(node, lastHlc, followed));
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
