package io.retroscope.instrumentation.zookeeper;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.jute.OutputArchive;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.DataTree.ProcessTxnResult;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.quorum.QuorumPacket;
import org.apache.zookeeper.txn.TxnHeader;
import org.jspecify.annotations.Nullable;

/**
 * What the advice woven into ZooKeeper's classes calls. Nothing that goes wrong in the tracing gets
 * back into ZooKeeper: it is logged once, and the server goes on as if it were not traced.
 *
 * <p>Public because the woven code lies in ZooKeeper's packages; not meant to be called otherwise.
 * Thread-safe.
 */
public final class ServerHooks {
  private static final System.Logger LOGGER = System.getLogger(ServerHooks.class.getName());
  private static final AtomicBoolean COMPLAINED = new AtomicBoolean();

  private static volatile @Nullable ServerTrace trace;

  private ServerHooks() {}

  /** Sends what the hooks see to this trace from now on. */
  static void install(ServerTrace serverTrace) {
    trace = serverTrace;
  }

  /** Before a transaction changes the tree, and so before any watch of it can fire. */
  public static void applying(
      TxnHeader header, org.apache.jute.@Nullable Record txn, boolean isPart, DataTree tree) {
    ServerTrace serverTrace = trace;
    if (serverTrace == null || isPart || txn == null) {
      return;
    }
    try {
      serverTrace.applying(header, txn, tree);
    } catch (Throwable e) {
      complain(e);
    }
  }

  /** After a transaction, which may have failed. */
  public static void applied(
      TxnHeader header,
      org.apache.jute.@Nullable Record txn,
      boolean isPart,
      DataTree tree,
      @Nullable ProcessTxnResult result) {
    ServerTrace serverTrace = trace;
    if (serverTrace == null || isPart || txn == null || result == null || result.err == 0) {
      return;
    }
    try {
      serverTrace.failed(header, txn, tree);
    } catch (Throwable e) {
      complain(e);
    }
  }

  /** Before the leader queues a proposal to the followers. */
  public static void proposing(Request request) {
    ServerTrace serverTrace = trace;
    if (serverTrace == null || request.getHdr() == null || request.getTxn() == null) {
      return;
    }
    try {
      serverTrace.proposing(request.getHdr(), request.getTxn());
    } catch (Throwable e) {
      complain(e);
    }
  }

  /** Before a server, in step with its leader, begins to serve clients. */
  public static void servingBegins(ZooKeeperServer server) {
    ServerTrace serverTrace = trace;
    if (serverTrace == null) {
      return;
    }
    try {
      serverTrace.servingBegins(server.getZKDatabase().getDataTree());
    } catch (Throwable e) {
      complain(e);
    }
  }

  /** Before a server stops to serve clients: what it applies from here on is a replay. */
  public static void servingEnds() {
    ServerTrace serverTrace = trace;
    if (serverTrace != null) {
      serverTrace.servingEnds();
    }
  }

  /**
   * Writes a private copy of the packet with a stamp.
   *
   * @return whether it was written; if not, the packet is to be written as it is
   * @throws IOException what writing the packet itself would have thrown
   */
  public static boolean writeStamped(QuorumPacket packet, OutputArchive archive, String tag)
      throws IOException {
    ServerTrace serverTrace = trace;
    if (serverTrace == null || packet instanceof StampedPacket) {
      return false;
    }
    StampedPacket stamped;
    try {
      stamped = serverTrace.stamp(packet);
    } catch (Throwable e) {
      complain(e);
      return false;
    }
    stamped.serialize(archive, tag);
    return true;
  }

  /** After a packet was read: takes the stamp off and observes it. */
  public static void readStamped(QuorumPacket packet) {
    ServerTrace serverTrace = trace;
    if (serverTrace == null) {
      return;
    }
    try {
      serverTrace.receive(packet);
    } catch (Throwable e) {
      complain(e);
    }
  }

  private static void complain(Throwable e) {
    if (COMPLAINED.compareAndSet(false, true)) {
      LOGGER.log(System.Logger.Level.WARNING, "tracing of this server is incomplete", e);
    }
  }
}
