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

/** The code that is woven into ZooKeeper's methods: each only calls its hook. */
final class ServerAdvice {
  private ServerAdvice() {}

  /** Around {@code DataTree.processTxn(TxnHeader, Record, boolean)}. */
  static final class ProcessTxn {
    private ProcessTxn() {}

    @Advice.OnMethodEnter
    static void enter(
        @Advice.This DataTree tree,
        @Advice.Argument(0) TxnHeader header,
        @Advice.Argument(1) Record txn,
        @Advice.Argument(2) boolean isPart) {
      ServerHooks.applying(header, txn, isPart, tree);
    }

    @Advice.OnMethodExit
    static void exit(
        @Advice.This DataTree tree,
        @Advice.Argument(0) TxnHeader header,
        @Advice.Argument(1) Record txn,
        @Advice.Argument(2) boolean isPart,
        @Advice.Return ProcessTxnResult result) {
      ServerHooks.applied(header, txn, isPart, tree, result);
    }
  }

  /** Before {@code Leader.propose(Request)}. */
  static final class Propose {
    private Propose() {}

    @Advice.OnMethodEnter
    static void enter(@Advice.Argument(0) Request request) {
      ServerHooks.proposing(request);
    }
  }

  /** Before {@code ZooKeeperServer.startup()}. */
  static final class Startup {
    private Startup() {}

    @Advice.OnMethodEnter
    static void enter(@Advice.This ZooKeeperServer server) {
      ServerHooks.servingBegins(server);
    }
  }

  /** Before {@code ZooKeeperServer.shutdown(boolean)}. */
  static final class Shutdown {
    private Shutdown() {}

    @Advice.OnMethodEnter
    static void enter() {
      ServerHooks.servingEnds();
    }
  }

  /**
   * Instead of {@code QuorumPacket.serialize(OutputArchive, String)}, where a hook did its work.
   */
  static final class Serialize {
    private Serialize() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter(
        @Advice.This QuorumPacket packet,
        @Advice.Argument(0) OutputArchive archive,
        @Advice.Argument(1) String tag)
        throws IOException {
      return ServerHooks.writeStamped(packet, archive, tag);
    }
  }

  /** After {@code QuorumPacket.deserialize(InputArchive, String)}. */
  static final class Deserialize {
    private Deserialize() {}

    @Advice.OnMethodExit
    static void exit(@Advice.This QuorumPacket packet) {
      ServerHooks.readStamped(packet);
    }
  }
}
