package io.retroscope.examples.zookeeper;

import java.io.IOException;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/**
 * Runs one ZooKeeper server for as long as the process that started it lives.
 *
 * <p>Its standard input is a pipe from that process. The pipe ends with the process, however that
 * dies, so no server outlives a demo that was killed.
 */
public final class EnsembleMember {
  private EnsembleMember() {}

  /**
   * Runs {@link QuorumPeerMain}.
   *
   * @param args the server's configuration file
   */
  public static void main(String[] args) {
    Thread guard = new Thread(EnsembleMember::haltWithParent, "parent-guard");
    guard.setDaemon(true);
    guard.start();
    QuorumPeerMain.main(args);
  }

  private static void haltWithParent() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is ever sent: only the end of the pipe matters.
      }
    } catch (IOException e) {
      // A broken pipe is its end.
    }
    Runtime.getRuntime().halt(0);
  }
}
