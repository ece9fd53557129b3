// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks;

import io.retroscope.event.EventBlock;
import java.util.Arrays;

/** A block as it arrived, with its nodes and variables resolved to ids once. Used by one thread. */
public final class Arrival {
  private static final int UNKNOWN = -1;

  private final EventBlock block;
  private final StoreNames names;
  private final boolean[] ofLog;
  private final Run[] runs;
  private final int[] nodeIds;
  private final int[] variableIds;

  /** The indexes of the nodes' runs in one {@code RowBuffer} at a time. */
  private final int[] localRuns;

  /** The same for its texts, and after them the names of its fields. */
  private final int[] localTexts;

  private int generation = UNKNOWN;

  public Arrival(EventBlock block, String log, StoreNames names) {
    this.block = block;
    this.names = names;
    int nodes = block.nodes().size();
    ofLog = wantedLogs(block, log);
    runs = new Run[nodes];
    nodeIds = new int[nodes];
    localRuns = new int[nodes];
    localTexts = new int[block.texts().size() + block.variables().size()];
    for (int i = 0; i < nodes; i++) {
      runs[i] = new Run(block.nodes().get(i), block.incarnation(i));
      nodeIds[i] = names.nodes().idOf(block.nodes().get(i));
    }
    variableIds = new int[block.variables().size()];
    Arrays.fill(variableIds, UNKNOWN);
  }

  /** For each of a block's logs whether it is the given one. */
  public static boolean[] wantedLogs(EventBlock block, String log) {
    boolean[] wanted = new boolean[block.logs().size()];
    for (int i = 0; i < wanted.length; i++) {
      wanted[i] = block.logs().get(i).equals(log);
    }
    return wanted;
  }

  public EventBlock block() {
    return block;
  }

  public boolean isOfLog(int row) {
    return ofLog[block.logIndex(row)];
  }

  public Run run(int row) {
    return runs[block.nodeIndex(row)];
  }

  public int nodeId(int row) {
    return nodeIds[block.nodeIndex(row)];
  }

  /** The id of the variable of a state change's change. Names of fields get no ids. */
  public int variableId(int change) {
    int name = block.nameIndex(change);
    if (variableIds[name] == UNKNOWN) {
      variableIds[name] = names.variables().idOf(block.variables().get(name));
    }
    return variableIds[name];
  }

  /** The index of the row's run in a buffer, or -1 if that is not known since it was cleared. */
  public int localRun(int row, int bufferGeneration) {
    begin(bufferGeneration);
    return localRuns[block.nodeIndex(row)];
  }

  private void begin(int bufferGeneration) {
    if (generation != bufferGeneration) {
      generation = bufferGeneration;
      Arrays.fill(localRuns, UNKNOWN);
      Arrays.fill(localTexts, UNKNOWN);
    }
  }

  public void setLocalRun(int row, int index) {
    localRuns[block.nodeIndex(row)] = index;
  }

  /** The index of a text of the block in a buffer, or -1 as {@link #localRun}. */
  public int localText(int text, int bufferGeneration) {
    begin(bufferGeneration);
    return localTexts[text];
  }

  public void setLocalText(int text, int index) {
    localTexts[text] = index;
  }

  /** The number of a field's name, which follows those of the texts. */
  public int textOfName(int name) {
    return block.texts().size() + name;
  }

  /** The text or name with a number. */
  public String text(int number) {
    int texts = block.texts().size();
    return number < texts ? block.texts().get(number) : block.variables().get(number - texts);
  }
}
