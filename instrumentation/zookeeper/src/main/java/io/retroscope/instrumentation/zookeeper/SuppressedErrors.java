package io.retroscope.instrumentation.zookeeper;

import io.retroscope.recorder.Recorder;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Errors of the tracing inside ZooKeeper's methods: each becomes a gap in the node's events, and
 * the first one at each place is logged. The server continues as if that call were not traced.
 *
 * <p>Public because the code woven into ZooKeeper's packages calls it; not meant to be called
 * otherwise. Thread-safe.
 */
public final class SuppressedErrors {
  /*
   * Names no class of ZooKeeper's, and is loaded before any of them: the call of this class is the
   * one thing in woven code that nothing guards.
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
   * An error at one of the woven methods, which has been suppressed. Never throws.
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
                + " failed: what it should have recorded is missing, and queries report a gap;"
                + " further failures there are only counted",
            e);
      }
    } catch (Throwable ofReporting) {
      // Nothing more can be done, and ZooKeeper must continue.
    }
  }
}
