// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import org.jspecify.annotations.Nullable;

/** A ring that runs another thread's steps before and after a claim, and after a release. */
final class SteppedRing extends EventRing {
  private Runnable beforeClaim = () -> {};
  private Runnable afterClaim = () -> {};
  private Runnable afterRelease = () -> {};

  SteppedRing(int capacity, long maxBytes) {
    super(capacity, maxBytes);
  }

  void beforeNextClaim(Runnable steps) {
    beforeClaim = steps;
  }

  void afterNextClaim(Runnable steps) {
    afterClaim = steps;
  }

  void afterNextRelease(Runnable steps) {
    afterRelease = steps;
  }

  @Override
  @Nullable Slot claim() {
    Runnable steps = beforeClaim;
    beforeClaim = () -> {};
    steps.run();
    return super.claim();
  }

  @Override
  void claimed() {
    Runnable steps = afterClaim;
    afterClaim = () -> {};
    steps.run();
  }

  @Override
  void release(long position) {
    super.release(position);
    Runnable steps = afterRelease;
    afterRelease = () -> {};
    steps.run();
  }
}
