// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.redis;

import io.retroscope.recorder.Recorder;

/** A worker that leaves no stamp in Redis, so that an oracle must fail. */
public final class UnstampedWorker {
  private UnstampedWorker() {}

  /** Runs a worker, as {@link LeaseWorker#main}. */
  public static void main(String[] args) throws InterruptedException {
    Recorder recorder = Recorder.fromEnvironment();
    LeaseWorker.run(
        args,
        recorder,
        new Stamps(recorder) {
          @Override
          String sent() {
            return "";
          }
        });
  }
}
