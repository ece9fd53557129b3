// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import java.io.IOException;
import net.bytebuddy.asm.Advice;
import org.apache.jute.OutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.DataTree.ProcessTxnResult;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.quorum.QuorumPacket;
import org.apache.zookeeper.txn.TxnHeader;
import org.jspecify.annotations.Nullable;

/**
 * The code that is woven into ZooKeeper's methods. Each part only calls its hook.
 *
 * <p>Exceptions and errors of a hook, including linkage errors, are passed to {@link
 * SuppressedErrors} and do not reach ZooKeeper.
 */
final class ServerAdvice {
  private ServerAdvice() {}

  /** Around {@code DataTree.processTxn(TxnHeader, Record, boolean)}. */
  static final class ProcessTxn {
    private ProcessTxn() {}

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(
        @Advice.This DataTree tree,
        @Advice.Argument(0) TxnHeader header,
        @Advice.Argument(1) @Nullable Record txn,
        @Advice.Argument(2) boolean isPart)
        throws IOException {
      ServerHooks.applying(header, txn, isPart, tree);
    }

    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit(
        @Advice.This DataTree tree,
        @Advice.Argument(0) TxnHeader header,
        @Advice.Argument(1) @Nullable Record txn,
        @Advice.Argument(2) boolean isPart,
        @Advice.Return @Nullable ProcessTxnResult result)
        throws IOException {
      ServerHooks.applied(header, txn, isPart, tree, result);
    }
  }

  /** Before {@code Leader.propose(Request)}. */
  static final class Propose {
    private Propose() {}

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(@Advice.Argument(0) Request request) throws IOException {
      ServerHooks.proposing(request);
    }
  }

  /** Before {@code ZooKeeperServer.startup()} and {@code startServing()}. */
  static final class Startup {
    private Startup() {}

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(@Advice.This ZooKeeperServer server) {
      ServerHooks.servingBegins(server);
    }
  }

  /** Before {@code ZooKeeperServer.shutdown(boolean)}. */
  static final class Shutdown {
    private Shutdown() {}

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(@Advice.This ZooKeeperServer server) {
      ServerHooks.servingEnds(server);
    }
  }

  /**
   * Instead of {@code QuorumPacket.serialize(OutputArchive, String)}, if the hook created a copy.
   */
  static final class Serialize {
    /*
     * The hook writes nothing, so the packet can still be written unchanged if the hook fails. If
     * there is a copy, the original is skipped, and the copy is written by unguarded code that
     * refers only to ZooKeeper's classes: a failure of the stream, which may have written a part of
     * the packet, reaches ZooKeeper as without the agent.
     */
    private Serialize() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class, suppress = Throwable.class)
    static @Nullable QuorumPacket enter(@Advice.This QuorumPacket packet) {
      return ServerHooks.stamped(packet);
    }

    @Advice.OnMethodExit
    static void exit(
        @Advice.Enter @Nullable QuorumPacket stamped,
        @Advice.Argument(0) OutputArchive archive,
        @Advice.Argument(1) String tag)
        throws IOException {
      if (stamped != null) {
        stamped.serialize(archive, tag);
      }
    }
  }

  /** After {@code QuorumPacket.deserialize(InputArchive, String)}. */
  static final class Deserialize {
    private Deserialize() {}

    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit(@Advice.This QuorumPacket packet) {
      ServerHooks.readStamped(packet);
    }
  }
}
