// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Stress tests that stamps are strictly increasing, even if physical time has stopped. */
public final class ClockStress {
  private static final PhysicalClock STOPPED = () -> 1_700_000_000_000_000L;

  private ClockStress() {}

  /** One thread ticks while another one observes and ticks. */
  @JCStressTest
  @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "three stamps")
  @Outcome(expect = Expect.FORBIDDEN, desc = "a stamp was given out twice")
  @State
  public static class Unique {
    private final HybridLogicalClock clock = new HybridLogicalClock(STOPPED);
    private final long remote = clock.tick();
    private long first;
    private long second;
    private long observed;

    /** Ticks. */
    @Actor
    public void first() {
      first = clock.tick();
    }

    /** Receives and ticks. */
    @Actor
    public void observe() {
      observed = clock.observe(remote);
      second = clock.tick();
    }

    /** Checks that all stamps differ and are above the first. */
    @Arbiter
    public void compare(Z_Result result) {
      result.r1 =
          first != second
              && first != observed
              && second != observed
              && Math.min(first, Math.min(second, observed)) > remote;
    }
  }

  /** One thread's stamps rise while another one receives from the future. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "both rise")
  @Outcome(expect = Expect.FORBIDDEN, desc = "a stamp fell")
  @State
  public static class Rising {
    private final HybridLogicalClock clock = new HybridLogicalClock(STOPPED);
    private final long remote = clock.tick() + (1_000L << HlcTimestamp.LOGICAL_BITS);

    /** Ticks twice. */
    @Actor
    public void tick(II_Result result) {
      long before = clock.tick();
      result.r1 = clock.tick() > before ? 1 : 0;
    }

    /** Receives and ticks. */
    @Actor
    public void observe(II_Result result) {
      long received = clock.observe(remote);
      result.r2 = received > remote && clock.tick() > received ? 1 : 0;
    }
  }
}
