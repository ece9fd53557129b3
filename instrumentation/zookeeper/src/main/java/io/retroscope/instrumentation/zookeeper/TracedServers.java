// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import java.util.Collection;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The decisions, one for each class loader, whether the ZooKeeper in it is traced. Thread-safe.
 *
 * <p>ZooKeeper's woven methods call the agent's classes, and those refer to ZooKeeper's. They can
 * be linked only if one class loader loads both.
 */
final class TracedServers {
  private static final int MAJOR = 3;
  private static final int FIRST_MINOR = 6;

  private final Collection<String> types;
  private final Untraced untraced;

  /** Guarded by itself. Weak, so that no class loader is retained. */
  private final Map<ClassLoader, Boolean> decisions = new WeakHashMap<>();

  /**
   * An instance without decisions.
   *
   * @param types ZooKeeper's classes that are woven
   */
  TracedServers(Collection<String> types, Untraced untraced) {
    this.types = types;
    this.untraced = untraced;
  }

  /** Whether the agent's class loader can load ZooKeeper at all. */
  static boolean isInReach() {
    return TracedServers.class
            .getClassLoader()
            .getResource("org/apache/zookeeper/server/quorum/QuorumPacket.class")
        != null;
  }

  boolean contains(@Nullable ClassLoader loader) {
    synchronized (decisions) {
      Boolean decided = decisions.get(loader);
      if (decided == null) {
        decided = decide(loader);
        decisions.put(loader, decided);
      }
      return decided;
    }
  }

  private boolean decide(@Nullable ClassLoader loader) {
    ClassLoader own = TracedServers.class.getClassLoader();
    if (loader != own) {
      untraced.add(
          "ZooKeeper in a class loader other than the agent's",
          loader + " loads it; put ZooKeeper's jars on the JVM's class path instead");
      return false;
    }
    int[] version = version(own);
    if (version[0] < MAJOR || (version[0] == MAJOR && version[1] < FIRST_MINOR)) {
      untraced.add(
          "ZooKeeper " + version[0] + "." + version[1] + "." + version[2],
          "the agent traces " + MAJOR + "." + FIRST_MINOR + " and newer");
      return false;
    }
    for (String type : types) {
      if (own.getResource(type.replace('.', '/') + ".class") == null) {
        untraced.add(type, "this version of ZooKeeper does not have it");
      }
    }
    return true;
  }

  /** Major, minor and micro version; an unreadable version is treated as new. */
  private static int[] version(ClassLoader loader) {
    try {
      Class<?> info = Class.forName("org.apache.zookeeper.version.Info", true, loader);
      return new int[] {
        info.getField("MAJOR").getInt(null),
        info.getField("MINOR").getInt(null),
        info.getField("MICRO").getInt(null)
      };
    } catch (ReflectiveOperationException e) {
      return new int[] {Integer.MAX_VALUE, 0, 0};
    }
  }
}
