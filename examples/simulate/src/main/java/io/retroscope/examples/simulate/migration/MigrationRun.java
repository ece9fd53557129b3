// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.migration;

import io.retroscope.examples.simulate.paxos.WideNetwork;
import java.util.Random;

/**
 * A simulation of a policy on a workload. Each object is in one region; a move takes the round trip
 * between both, during which accesses wait. Used by one thread.
 */
public final class MigrationRun {
  /** Accesses within which a move back is a jitter. */
  private static final int JITTER_ACCESSES = 20;

  private static final double MILLIS_BETWEEN_ACCESSES = 200;

  private final Workload workload;
  private final double largestShare;
  private final Random random;
  private final int[] owners;
  private final int[] owned = new int[Policy.REGIONS];
  private double latencySum;
  private long moveCount;
  private long jitterCount;
  private long detourCount;
  private long refusedCount;
  private int mostOwned;

  /**
   * The result.
   *
   * @param latencyMillis the mean over all accesses
   * @param moves per object
   * @param jitters the moves back to the region that the object left shortly before, per object
   * @param detours the moves to a region in which its users neither were nor are, per object
   * @param refused the moves that the filter refused, per object
   * @param largestShare the largest share of the objects that a region had at any time
   */
  public record Result(
      double latencyMillis,
      double moves,
      double jitters,
      double detours,
      double refused,
      double largestShare) {}

  private MigrationRun(Workload workload, double largestShare, long seed) {
    this.workload = workload;
    this.largestShare = largestShare;
    this.random = new Random(seed);
    this.owners = new int[workload.objects()];
    for (int i = 0; i < owners.length; i++) {
      owners[i] = i % Policy.REGIONS;
      mostOwned = Math.max(mostOwned, ++owned[owners[i]]);
    }
  }

  /**
   * Runs a policy.
   *
   * @param largestShare the share of the objects at which a region takes no more; 1 for no limit
   */
  public static Result of(Policy.Kind kind, Workload workload, double largestShare, long seed) {
    return new MigrationRun(workload, largestShare, seed).run(kind);
  }

  private Result run(Policy.Kind kind) {
    ObjectState[] objects = new ObjectState[workload.objects()];
    for (int i = 0; i < objects.length; i++) {
      objects[i] = new ObjectState(kind.create());
    }
    for (int access = 0; access < workload.accesses(); access++) {
      for (int object = 0; object < objects.length; object++) {
        access(object, access, objects[object]);
      }
    }
    double count = workload.objects();
    return new Result(
        latencySum / count / workload.accesses(),
        moveCount / count,
        jitterCount / count,
        detourCount / count,
        refusedCount / count,
        mostOwned / count);
  }

  private static final class ObjectState {
    private final Policy policy;
    private int leftRegion = -1;
    private int leftAccess;
    private double busyUntilMillis;

    private ObjectState(Policy policy) {
      this.policy = policy;
    }
  }

  private void access(int object, int access, ObjectState state) {
    double now = (access + random.nextDouble()) * MILLIS_BETWEEN_ACCESSES;
    int region = workload.region(object, access, random);
    int owner = owners[object];
    latencySum += WideNetwork.roundTrip(region, owner) + Math.max(0, state.busyUntilMillis - now);
    int wanted = state.policy.wanted(region, owner);
    if (wanted == owner) {
      return;
    }
    if (owned[wanted] + 1 > largestShare * owners.length) {
      refusedCount++;
      return;
    }
    boolean back = wanted == state.leftRegion && access - state.leftAccess <= JITTER_ACCESSES;
    jitterCount += back ? 1 : 0;
    int before = workload.home(object, Math.max(0, access - workload.stays()));
    detourCount += wanted != workload.home(object, access) && wanted != before ? 1 : 0;
    move(object, wanted);
    state.leftRegion = owner;
    state.leftAccess = access;
    state.busyUntilMillis = now + WideNetwork.roundTrip(owner, wanted);
  }

  private void move(int object, int to) {
    moveCount++;
    owned[owners[object]]--;
    owners[object] = to;
    mostOwned = Math.max(mostOwned, ++owned[to]);
  }
}
