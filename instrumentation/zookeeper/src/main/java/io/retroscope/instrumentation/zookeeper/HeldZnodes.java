// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.zookeeper.server.DataTree;

/**
 * The traced znodes of one server that are in its recorded state, and the number of those that are
 * left out. Not thread-safe.
 */
final class HeldZnodes {
  /*
   * The limits bound the memory of the agent, the variables of the node at the log server, and the
   * single event in which all of them are recorded: an event that is too large would be refused as
   * a whole.
   *
   * Nothing is stored about a znode that is left out: the tree shows whether one existed before a
   * change, so their number is exact. Such a znode is held from its first change for which there is
   * capacity.
   */

  /** The maximum number of znodes held. */
  static final int MAX_COUNT = 10_000;

  /** The maximum length of a znode's path, in characters. */
  static final int MAX_PATH_LENGTH = 1_000;

  /** The maximum total length of the paths of all znodes held, in characters. */
  static final int MAX_TOTAL_LENGTH = 1_500_000;

  /** The log about the agent itself; {@code setd} contains only znodes. */
  static final String AGENT_LOG = "agent";

  /** The variable with the number of traced znodes that are left out. */
  static final String LEFT_OUT = "leftOutZnodes";

  static final String CAVEAT =
      "some znodes are left out of setd and proposal (%s.%s is their number):"
              .formatted(AGENT_LOG, LEFT_OUT)
          + " there are more than %,d, or their paths are too long".formatted(MAX_COUNT);

  private static final System.Logger LOGGER = System.getLogger(HeldZnodes.class.getName());

  private final Recorder recorder;
  private final EventLog agentLog;
  private final Set<String> paths = new HashSet<>();
  private int totalLength;
  private long leftOutCount;
  private long recordedLeftOutCount;
  private boolean logged;

  HeldZnodes(Recorder recorder) {
    this.recorder = recorder;
    this.agentLog = recorder.log(AGENT_LOG);
  }

  /**
   * Applies the change of a traced znode.
   *
   * @param existed whether there was such a znode before
   * @return whether the change belongs to the recorded state
   */
  boolean take(ZnodeChange change, boolean existed) {
    String path = change.path();
    if (paths.contains(path)) {
      if (change.isDeletion()) {
        drop(path);
      }
      return true;
    }
    if (!change.isDeletion() && hasRoomFor(path)) {
      paths.add(path);
      totalLength += path.length();
      leftOutCount -= existed ? 1 : 0;
      return true;
    }
    leftOutCount += (change.isDeletion() ? 0 : 1) - (existed ? 1 : 0);
    return false;
  }

  private boolean hasRoomFor(String path) {
    return paths.size() < MAX_COUNT
        && path.length() <= MAX_PATH_LENGTH
        && totalLength + path.length() <= MAX_TOTAL_LENGTH;
  }

  private void drop(String path) {
    paths.remove(path);
    totalLength -= path.length();
  }

  /**
   * Applies a whole tree. Znodes that were held and still exist remain held.
   *
   * @return the znodes held now, and deletions of those held before
   */
  List<ZnodeChange> takeAll(DataTree tree, TracedZnodes traced) {
    List<ZnodeChange> held = new ArrayList<>();
    List<ZnodeChange> gone = new ArrayList<>();
    for (String path : paths) {
      ZnodeChange actual = ZnodeChange.actual(path, tree.getNode(path));
      (actual.isDeletion() ? gone : held).add(actual);
    }
    gone.forEach(deletion -> drop(deletion.path()));
    leftOutCount = 0;
    traced.forEachIn(
        tree,
        (path, node) -> {
          ZnodeChange found = ZnodeChange.actual(path, node);
          if (!paths.contains(path) && take(found, false)) {
            held.add(found);
          }
        });
    held.addAll(gone);
    return held;
  }

  /**
   * Whether the proposal of a change is recorded. Every change that is applied and recorded has its
   * proposal recorded, except while znodes are left out, because changes proposed earlier may still
   * be in flight and free capacity.
   */
  boolean takesProposal(String path) {
    return path.length() <= MAX_PATH_LENGTH
        && (leftOutCount <= 0 || paths.contains(path) || hasRoomFor(path));
  }

  /** Records the number of znodes that are left out, if it has changed. */
  void recordLeftOut() {
    long count = Math.max(0, leftOutCount);
    if (count == recordedLeftOutCount) {
      return;
    }
    agentLog.set(LEFT_OUT, count);
    if (recordedLeftOutCount == 0) {
      recorder.caveat(CAVEAT);
      warn();
    } else if (count == 0) {
      recorder.clearCaveat(CAVEAT);
    }
    recordedLeftOutCount = count;
  }

  private void warn() {
    if (!logged) {
      logged = true;
      LOGGER.log(
          System.Logger.Level.WARNING,
          "more than {0} znodes, or paths of more than {1} characters: the rest is not traced;"
              + " restrict trace= to the relevant ones",
          MAX_COUNT,
          MAX_PATH_LENGTH);
    }
  }
}
