package io.retroscope.instrumentation.zookeeper;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.zookeeper.server.DataTree;

/**
 * The traced znodes of one server that its recorded state holds, and the number of those that it
 * leaves out. Not thread-safe.
 */
final class HeldZnodes {
  /*
   * The limits bound the memory of the agent, the variables of the node at the log server, and the
   * one event that all of them are recorded in: one that is too large would be refused as a whole.
   *
   * Nothing is remembered of a znode that is left out: whether one existed before a change is known
   * from the tree, so their number is exact. It is held from its first change for which there is
   * room.
   */

  /** Znodes held at most. */
  static final int MAX_COUNT = 10_000;

  /** Characters of a znode's path, at most. */
  static final int MAX_PATH_LENGTH = 1_000;

  /** Characters of the paths of all znodes held, at most. */
  static final int MAX_TOTAL_LENGTH = 1_500_000;

  /** Facts about the agent itself; {@code setd} holds znodes alone. */
  static final String AGENT_LOG = "agent";

  /** The number of traced znodes that are left out. */
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
   * Takes over the change of a traced znode.
   *
   * @param existed whether there was such a znode before
   * @return whether the change belongs into the recorded state
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
   * Takes over a whole tree. What was held and is still there stays held.
   *
   * @return what it holds now, and deletions of what it held before
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
   * proposal recorded, except while znodes are left out: changes proposed before may still be under
   * way, and make room.
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
              + " narrow trace= to those of interest",
          MAX_COUNT,
          MAX_PATH_LENGTH);
    }
  }
}
