// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import io.retroscope.recorder.Recorder;

/** A billing that receives no stamps, so that an oracle must fail. */
public final class UnstampedBilling {
  private UnstampedBilling() {}

  /** Runs the billing, as {@link BillingNode#main}. */
  public static void main(String[] args) throws Exception {
    Recorder recorder = Recorder.fromEnvironment();
    BillingNode.run(
        args,
        recorder,
        new Stamps(recorder) {
          @Override
          void received(String text) {}
        });
  }
}
