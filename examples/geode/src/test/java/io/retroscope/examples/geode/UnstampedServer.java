// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import io.retroscope.recorder.Recorder;
import java.io.IOException;

/** A server that does not receive the stamps of values, so that an oracle must fail. */
public final class UnstampedServer {
  private UnstampedServer() {}

  /** Runs a server, as {@link ServerNode#main}. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Recorder recorder = Recorder.fromEnvironment();
    ServerNode.run(
        args,
        recorder,
        new Stamps(recorder) {
          @Override
          void received(String value) {}
        });
  }
}
