package io.retroscope.examples.zookeeper;

import java.nio.file.Path;

/**
 * How the demo is run. Immutable.
 *
 * @param seconds how long the workload runs, 1 to {@link #MAX_SECONDS}
 * @param outFolder where the sound and the events are left; created if need be
 * @param keep whether everything stays up after the summary, until the demo is interrupted
 * @param quiet whether only the summary is printed
 * @param port the log server's, 0 for a free one
 * @param terminal whether a status line may be redrawn in place
 * @param transport how the events get to the log server
 */
public record DemoOptions(
    int seconds,
    Path outFolder,
    boolean keep,
    boolean quiet,
    int port,
    boolean terminal,
    Transport transport) {
  /** A way from the traced servers to the log server. */
  public enum Transport {
    /** Straight. */
    HTTP,
    /** Through a topic of a broker that the demo starts. */
    KAFKA
  }

  /** The longest run. */
  public static final int MAX_SECONDS = 3_600;

  /** What the demo runs for unless told otherwise. */
  public static final int DEFAULT_SECONDS = 20;

  /** Checks the ranges. */
  public DemoOptions {
    if (seconds < 1 || seconds > MAX_SECONDS) {
      throw new IllegalArgumentException(
          "seconds must be 1 to " + MAX_SECONDS + ", not " + seconds);
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be 0 to 65535, not " + port);
    }
  }

  /** Twenty seconds over HTTP on a free port, leaving its files in {@code outFolder}. */
  public static DemoOptions defaults(Path outFolder) {
    return new DemoOptions(DEFAULT_SECONDS, outFolder, false, false, 0, false, Transport.HTTP);
  }
}
