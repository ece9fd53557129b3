// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import io.retroscope.blocks.Run;
import io.retroscope.event.EventBlock;
import io.retroscope.event.LongBlockReader;
import io.retroscope.event.OrderedRows;
import io.retroscope.event.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Rows of many blocks as columns, which are taken as one block in the order of their stamps, up to
 * a stamp; the others stay for the next block. Each row sets one variable of one log to a LONG.
 * Used by one thread.
 */
final class JoinedRows {
  private static final int NONE = -1;

  private final String log;
  private final Predicate<String> wanted;
  private final Comparator<Run> ties;
  private final LongBlockReader reader;
  private final RunMerge.Memory memory = new RunMerge.Memory();

  /** The rows of each run, by its index. */
  private final List<RunRows> runs = new ArrayList<>();

  /** The runs in the order of ties; null if there are new ones. */
  private @Nullable List<RunRows> ordered;

  /** The places of the runs in their order. */
  private int[] ranks = new int[0];

  private JoinedParts parts = new JoinedParts(0);
  private final List<String> variables = new ArrayList<>();
  private String latestVariable = "";
  private int latestIndex = NONE;

  /**
   * No rows.
   *
   * @param wanted tests variables; rows that set others are left out
   * @param ties the order of runs for rows with equal stamps
   */
  JoinedRows(String log, Predicate<String> wanted, Comparator<Run> ties) {
    this.log = log;
    this.wanted = wanted;
    this.ties = ties.thenComparing(Run::node).thenComparing(Run::incarnation);
    reader = new LongBlockReader(log);
  }

  /** Forgets all rows. */
  void clear() {
    runs.forEach(RunRows::clear);
  }

  /** Makes room for a number of further blocks. */
  void begin(int blockCount) {
    parts = JoinedParts.of(parts, runs, blockCount);
  }

  /**
   * Adds the rows of a block of a batch; returns false, and adds none, if they are not such rows.
   *
   * @param index in the batch
   * @param number the block's {@link BlockSource#arrival}
   * @param rowCount the number of its rows
   */
  boolean add(EncodedBatch batch, int index, long number, int rowCount) {
    EventBlock block = batch.block(index);
    if (block != null) {
      return add(block, number);
    }
    int end = batch.end(index);
    int start = batch.start(index);
    if (end == 0 || reader.begin(batch.array(), start, end) != rowCount) {
      return false;
    }
    RunRows rows = rowsOf(reader.run());
    rows.ensureRoom(rowCount);
    if (!reader.read(rows.stamps(), rows.numbers(), rows.size())) {
      return false;
    }
    int variable = indexOf(reader.variable());
    if (variable != NONE) {
      rows.add(rowCount, parts.add(batch.array(), start, rows.run(), variable, number));
    }
    return true;
  }

  private boolean add(EventBlock block, long number) {
    boolean fits =
        block.writesLongsOnly()
            && block.nodes().size() == 1
            && block.variables().size() == 1
            && block.logs().equals(List.of(log));
    if (!fits) {
      return false;
    }
    int variable = indexOf(block.variables().get(0));
    if (variable != NONE) {
      RunRows rows = rowsOf(reader.run(block.node(), block.incarnation(0)));
      rows.ensureRoom(block.size());
      block.copyStamps(0, block.size(), rows.stamps(), rows.size());
      block.copyBits(0, block.size(), rows.numbers(), rows.size());
      rows.add(block.size(), parts.add(block, rows.run(), variable, number));
    }
    return true;
  }

  private RunRows rowsOf(int run) {
    while (runs.size() <= run) {
      runs.add(new RunRows(runs.size(), memory.stampOrder()));
      ordered = null;
    }
    return runs.get(run);
  }

  private int indexOf(String variable) {
    if (latestIndex == NONE || !variable.equals(latestVariable)) {
      int index = variables.indexOf(variable);
      if (index == NONE && wanted.test(variable)) {
        index = variables.size();
        variables.add(variable);
      }
      latestVariable = variable;
      latestIndex = index;
    }
    return latestIndex;
  }

  /** Rows as a block, and the arrivals of their blocks. */
  record Taken(EventBlock block, Arrivals arrivals) {}

  /**
   * Takes the rows in a range of stamps, and forgets those before it.
   *
   * @param from packed, the lowest stamp
   * @param to packed, the highest stamp
   * @return null if there are none
   */
  @Nullable Taken take(long from, long to) {
    List<RunRows> selected = new ArrayList<>();
    int count = 0;
    for (RunRows run : ordered()) {
      int own = run.select(from, to);
      count += own;
      if (own > 0) {
        selected.add(run);
      }
    }
    Taken taken = count == 0 ? null : taken(selected, count);
    runs.forEach(RunRows::keepRest);
    return taken;
  }

  private List<RunRows> ordered() {
    List<RunRows> known = ordered;
    if (known == null) {
      known = new ArrayList<>(runs);
      known.sort(
          Comparator.comparing(
              rows -> new Run(reader.node(rows.run()), reader.incarnation(rows.run())), ties));
      ranks = new int[known.size()];
      for (int rank = 0; rank < ranks.length; rank++) {
        ranks[known.get(rank).run()] = rank;
      }
      ordered = known;
    }
    return known;
  }

  private Taken taken(List<RunRows> selected, int count) {
    RunMerge merged = new RunMerge(selected, count, memory);
    JoinedParts own = parts;
    merged.orderTies((a, b) -> own.compareTied(a, b, ranks));
    RowOrigins origins = merged.origins;
    Selection written = new Selection(variables.size());
    int[] ownVariables = variables.size() == 1 ? null : own.variables(origins.all(), written);
    List<String> names =
        ownVariables == null ? variables : written.chosen().stream().map(variables::get).toList();
    EventBlock block =
        OrderedRows.ofSingleChanges(
            new OrderedRows.Writes(
                count,
                merged.stamps,
                merged.runs,
                names.size() == 1 ? null : ownVariables,
                merged.numbers),
            Collections.nCopies(names.size(), ValueType.LONG),
            row -> own.physicalMicros(origins.of(row)),
            row -> own.sequence(origins.of(row)),
            new OrderedRows.Names(
                selected.stream().map(run -> reader.node(run.run())).toList(),
                selected.stream().map(run -> reader.incarnation(run.run())).toList(),
                List.of(log),
                names,
                List.of(),
                List.of()));
    return new Taken(block, row -> own.number(origins.of(row)));
  }

  /** Variables, in the order in which rows first use them. */
  static final class Selection {
    private final int[] indexes;
    private final List<Integer> chosen = new ArrayList<>();

    Selection(int count) {
      indexes = new int[count];
      Arrays.fill(indexes, NONE);
    }

    /** The entry in the selection of each row's entry in a table. */
    void select(int[] table, int[] origins, int shift, int[] to) {
      for (int i = 0; i < to.length; i++) {
        int all = table[origins[i] >>> shift];
        int index = indexes[all];
        to[i] = index == NONE ? choose(all) : index;
      }
    }

    private int choose(int all) {
      indexes[all] = chosen.size();
      chosen.add(all);
      return indexes[all];
    }

    List<Integer> chosen() {
      return chosen;
    }
  }
}
