// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/**
 * A launcher of a ZooKeeper server in a separate class loader, as in a container; for child
 * processes.
 */
public final class IsolatedServer {
  /** The agent's classes are visible to the server's, but not the other way round. */
  static final String BELOW_THE_AGENT = "below-the-agent";

  /** Neither classes are visible to the other. */
  static final String APART_FROM_THE_AGENT = "apart-from-the-agent";

  private IsolatedServer() {}

  /**
   * Runs the server.
   *
   * @param args the position of its class loader, its class path, and its configuration
   */
  public static void main(String[] args) throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String jar : args[1].split(File.pathSeparator, -1)) {
      urls.add(new File(jar).toURI().toURL());
    }
    ClassLoader parent =
        args[0].equals(BELOW_THE_AGENT)
            ? IsolatedServer.class.getClassLoader()
            : ClassLoader.getPlatformClassLoader();
    try (URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), parent)) {
      Thread.currentThread().setContextClassLoader(loader);
      Class.forName("org.apache.zookeeper.server.quorum.QuorumPeerMain", true, loader)
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[] {args[2]});
    }
  }
}
