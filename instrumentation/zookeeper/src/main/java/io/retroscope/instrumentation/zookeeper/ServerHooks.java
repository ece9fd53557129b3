// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import java.io.IOException;
import org.apache.jute.Record;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.DataTree.ProcessTxnResult;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.quorum.QuorumPacket;
import org.apache.zookeeper.txn.TxnHeader;
import org.jspecify.annotations.Nullable;

/**
 * The calls from the advice woven into ZooKeeper's classes to the trace. They may throw anything,
 * such as an {@link IOException} if a transaction cannot be read: the woven code suppresses it, see
 * {@link SuppressedErrors}.
 *
 * <p>Public because the woven code is in ZooKeeper's packages; not intended for other callers.
 * Thread-safe.
 */
public final class ServerHooks {
  private static volatile @Nullable ServerTrace trace;

  private ServerHooks() {}

  /** Forwards the hooks' calls to this trace from now on. */
  static void install(ServerTrace serverTrace) {
    trace = serverTrace;
  }

  /** Before a transaction changes the tree, and so before any watch of it can fire. */
  public static void applying(TxnHeader header, @Nullable Record txn, boolean isPart, DataTree tree)
      throws IOException {
    ServerTrace serverTrace = trace;
    if (serverTrace != null && !isPart && txn != null) {
      serverTrace.applying(header, txn, tree);
    }
  }

  /** After a transaction, which may have failed. */
  public static void applied(
      TxnHeader header,
      @Nullable Record txn,
      boolean isPart,
      DataTree tree,
      @Nullable ProcessTxnResult result)
      throws IOException {
    ServerTrace serverTrace = trace;
    if (serverTrace != null && !isPart && txn != null && result != null && result.err != 0) {
      serverTrace.failed(header, txn, tree);
    }
  }

  /** Before the leader queues a proposal to the followers. */
  public static void proposing(Request request) throws IOException {
    ServerTrace serverTrace = trace;
    if (serverTrace != null && request.getHdr() != null && request.getTxn() != null) {
      serverTrace.proposing(request.getHdr(), request.getTxn());
    }
  }

  /** Before a server that is synchronized with its leader starts to serve clients. */
  public static void servingBegins(ZooKeeperServer server) {
    ServerTrace serverTrace = trace;
    if (serverTrace != null) {
      serverTrace.servingBegins(server, server.getZKDatabase().getDataTree());
    }
  }

  /**
   * Before a server stops serving clients: transactions that it applies after that are a replay.
   */
  public static void servingEnds(ZooKeeperServer server) {
    ServerTrace serverTrace = trace;
    if (serverTrace != null) {
      serverTrace.servingEnds(server);
    }
  }

  /**
   * A private copy of a packet, with a stamp, to be written in its place; null if there is none.
   */
  public static @Nullable QuorumPacket stamped(QuorumPacket packet) {
    ServerTrace serverTrace = trace;
    return serverTrace == null || packet instanceof StampedPacket
        ? null
        : serverTrace.stamp(packet);
  }

  /** After a packet was read: removes the stamp and observes it. */
  public static void readStamped(QuorumPacket packet) {
    ServerTrace serverTrace = trace;
    if (serverTrace != null) {
      serverTrace.receive(packet);
    }
  }
}
