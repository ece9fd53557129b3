package io.retroscope.rql.engine;

import io.retroscope.rql.cut.LiveNodes;
import io.retroscope.rql.cut.NaturalOrder;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The nodes whose events are missing in the cuts of a walk. Used by one thread. */
final class MissingNodes {
  private final @Nullable LiveNodes liveNodes;
  private final boolean keepsState;
  private final SortedSet<String> ever = new TreeSet<>(NaturalOrder.INSTANCE);
  private SortedSet<String> silent = new TreeSet<>();

  /**
   * Creates a set without nodes.
   *
   * @param liveNodes the nodes of AT LIVE NODES; null in other queries
   * @param keepsState whether a node that was missing once affects all later cuts
   */
  MissingNodes(@Nullable LiveNodes liveNodes, boolean keepsState) {
    this.liveNodes = liveNodes;
    this.keepsState = keepsState;
  }

  /** Sets the nodes that the watermark leaves out. */
  void setSilent(SortedSet<String> nodes) {
    silent = nodes;
  }

  /** The nodes that are missing in the present cut. */
  SortedSet<String> now() {
    SortedSet<String> missing = liveNodes == null ? silent : liveNodes.silent();
    if (!keepsState) {
      return missing;
    }
    ever.addAll(missing);
    return new TreeSet<>(ever);
  }
}
