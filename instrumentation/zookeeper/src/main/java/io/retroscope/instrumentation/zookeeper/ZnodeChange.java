package io.retroscope.instrumentation.zookeeper;

import org.apache.zookeeper.server.DataNode;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction makes of one znode. Immutable.
 *
 * @param version the znode's data version from then on, or {@link #DELETED}
 */
record ZnodeChange(String path, int version) {
  /** Stands for no version: the znode is gone. No znode has it, versions start at 0. */
  static final int DELETED = -1;

  static ZnodeChange created(String path) {
    return new ZnodeChange(path, 0);
  }

  static ZnodeChange deleted(String path) {
    return new ZnodeChange(path, DELETED);
  }

  /** What a tree holds at a path. */
  static ZnodeChange actual(String path, @Nullable DataNode node) {
    if (node == null) {
      return deleted(path);
    }
    synchronized (node) {
      return new ZnodeChange(path, node.stat.getVersion());
    }
  }

  /** The variable that the znode is recorded as. */
  String variable() {
    return TracedZnodes.variable(path);
  }

  boolean isDeletion() {
    return version == DELETED;
  }
}
