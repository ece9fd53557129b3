package io.retroscope.server.live;

/** Measures how long something took or was silent: the server's only reader of elapsed time. */
@FunctionalInterface
public interface MonotonicClock {
  /** Nanoseconds since some fixed moment; only differences mean anything. */
  long nanos();

  /** The machine's own. */
  static MonotonicClock system() {
    return System::nanoTime;
  }
}
