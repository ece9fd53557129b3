package io.retroscope.server.align.simulation;

/** Is told how far a simulation is, from any of its threads, but from one at a time. */
@FunctionalInterface
public interface Progress {
  /** Tells nobody. */
  Progress NONE = (done, total) -> {};

  /** So many of all runs are done. */
  void done(long runs, long totalRuns);
}
