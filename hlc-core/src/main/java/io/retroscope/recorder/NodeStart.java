package io.retroscope.recorder;

import io.retroscope.clock.ClockBoundException;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.EventBody;
import io.retroscope.recorder.NodeState.Bounds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The start of a node: its clock, above the stamps of its earlier runs where the state directory
 * makes that possible, and its first event.
 *
 * @param state the state directory in use; null for none
 * @param caveats what answers over the node must warn of, each completes "node n: ..."
 */
record NodeStart(
    @Nullable NodeState state,
    HybridLogicalClock clock,
    EventBody.Start event,
    List<String> caveats) {
  private static final System.Logger LOGGER = System.getLogger(NodeStart.class.getName());
  private static final Duration ABANDON_TIMEOUT = Duration.ofSeconds(1);

  /** Settings of the clock; {@code reset} gives up the order with the stamps of earlier runs. */
  record ClockSettings(
      PhysicalClock physical, long maxOffsetMicros, RemotePolicy policy, boolean reset) {}

  /** Settings of the state; {@code strict} makes an error of what cannot be used of it. */
  record StateSettings(@Nullable Path directory, Fsync fsync, Bounds bounds, boolean strict) {}

  /** What was wrong on the way: an exception in strict mode, otherwise a caveat. */
  private record Flaws(String node, boolean strict, List<String> caveats) {
    void add(String caveat, Exception cause) {
      if (strict) {
        throw cause instanceof IOException io
            ? new UncheckedIOException("node " + node + " cannot start: " + caveat, io)
            : (RuntimeException) cause;
      }
      caveats.add(caveat);
      LOGGER.log(System.Logger.Level.ERROR, "node " + node + " records with " + caveat, cause);
    }

    void unbound(Exception cause) {
      add("no restart bound: " + cause.getMessage(), cause);
    }
  }

  /**
   * Begins.
   *
   * @param random tells copies of a node apart that begin at the same instant
   * @throws UncheckedIOException if the state cannot be used; only if strict
   * @throws ClockBoundException if the clock cannot begin above the bound; only if strict
   */
  static NodeStart begin(String node, ClockSettings clock, StateSettings settings, int random) {
    Flaws flaws = new Flaws(node, settings.strict, new ArrayList<>());
    NodeState state = open(settings, flaws);
    try {
      HybridLogicalClock started = clock(clock, state, flaws);
      String incarnation =
          Long.toHexString(HlcTimestamp.toWire(started.tick()))
              + "-"
              + Integer.toHexString(random)
              + (clock.reset ? "-reset" : "");
      EventBody.Start event = event(incarnation, started.floor(), state, flaws);
      // Last, so that nothing can fail while it runs.
      started.keepBound("retroscope-clock-" + node);
      return new NodeStart(state, started, event, List.copyOf(flaws.caveats));
    } catch (RuntimeException e) {
      close(state, e);
      throw e;
    }
  }

  private static @Nullable NodeState open(StateSettings settings, Flaws flaws) {
    if (settings.directory == null) {
      return null;
    }
    try {
      return new NodeState(settings.directory, settings.fsync, settings.bounds);
    } catch (IOException e) {
      flaws.unbound(e);
      return null;
    }
  }

  private static HybridLogicalClock clock(
      ClockSettings settings, @Nullable NodeState state, Flaws flaws) {
    if (state == null) {
      return new HybridLogicalClock(settings.physical, settings.maxOffsetMicros, settings.policy);
    }
    try {
      return restored(settings, state, settings.reset);
    } catch (IOException | ClockBoundException e) {
      flaws.unbound(e);
    }
    try {
      return restored(settings, state, true);
    } catch (IOException e) {
      throw new AssertionError("a reset clock loads nothing", e);
    }
  }

  private static HybridLogicalClock restored(ClockSettings settings, NodeState state, boolean reset)
      throws IOException {
    return HybridLogicalClock.restored(
        settings.physical, settings.maxOffsetMicros, settings.policy, state.bound(), reset);
  }

  private static EventBody.Start event(
      String incarnation, long floor, @Nullable NodeState state, Flaws flaws) {
    if (state == null) {
      return new EventBody.Start(incarnation, floor, "", EventBody.Spill.COMPLETE);
    }
    try {
      state.checkPredecessor();
    } catch (IOException e) {
      flaws.add("an unknown earlier run: " + e.getMessage(), e);
    }
    try {
      state.begin(incarnation);
    } catch (IOException e) {
      flaws.add("a state that cannot be written: " + e.getMessage(), e);
    }
    return new EventBody.Start(incarnation, floor, state.predecessor(), state.predecessorSpill());
  }

  /** Ends what has begun, because a recorder could not be made. */
  void abandon(RuntimeException cause) {
    if (clock.settleBound(ABANDON_TIMEOUT)) {
      close(state, cause);
    }
  }

  private static void close(@Nullable NodeState state, RuntimeException cause) {
    try {
      if (state != null) {
        state.close();
      }
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }
}
