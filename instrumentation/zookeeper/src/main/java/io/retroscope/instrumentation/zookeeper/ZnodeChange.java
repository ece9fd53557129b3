// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import org.apache.zookeeper.server.DataNode;
import org.jspecify.annotations.Nullable;

/**
 * The effect of a transaction on one znode. Immutable.
 *
 * @param version the znode's data version from then on, or {@link #DELETED}
 */
record ZnodeChange(String path, int version) {
  /** The version of a deleted znode. No znode has it, because versions start at 0. */
  static final int DELETED = -1;

  static ZnodeChange created(String path) {
    return new ZnodeChange(path, 0);
  }

  static ZnodeChange deleted(String path) {
    return new ZnodeChange(path, DELETED);
  }

  /** The actual state of a path in a tree. */
  static ZnodeChange actual(String path, @Nullable DataNode node) {
    if (node == null) {
      return deleted(path);
    }
    synchronized (node) {
      return new ZnodeChange(path, node.stat.getVersion());
    }
  }

  /** The variable as which the znode is recorded. */
  String variable() {
    return TracedZnodes.variable(path);
  }

  boolean isDeletion() {
    return version == DELETED;
  }
}
