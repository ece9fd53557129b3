// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import io.retroscope.recorder.Recorder;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The handler of tracing errors inside ZooKeeper's methods: each error becomes a gap in the node's
 * events, and the first one in each method is logged. The server continues as if that call were not
 * traced.
 *
 * <p>Public because the code woven into ZooKeeper's packages calls it; not intended for other
 * callers. Thread-safe.
 */
public final class SuppressedErrors {
  /*
   * Refers to no class of ZooKeeper, and is loaded before any of them, because the call of this
   * class is the only unguarded one in woven code.
   */
  private static final System.Logger LOGGER = System.getLogger(SuppressedErrors.class.getName());
  private static final Set<String> LOGGED_PLACES = ConcurrentHashMap.newKeySet();

  private static volatile @Nullable Recorder recorder;

  private SuppressedErrors() {}

  /** Records errors as gaps of this recorder from now on. */
  static void install(Recorder ofNode) {
    recorder = ofNode;
  }

  /**
   * Handles an error that has been suppressed in one of the woven methods. Never throws.
   *
   * @param place the woven method
   */
  public static void add(Throwable e, String place) {
    try {
      Recorder ofNode = recorder;
      if (ofNode != null) {
        ofNode.missed();
      }
      if (LOGGED_PLACES.add(place)) {
        LOGGER.log(
            System.Logger.Level.ERROR,
            "the tracing of "
                + place
                + " failed: its event is missing, and queries report a gap;"
                + " further failures there are only counted",
            e);
      }
    } catch (Throwable ofReporting) {
      // There is no further way to report it, and ZooKeeper must continue.
    }
  }
}
