// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.opentelemetry;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Ingress;
import io.retroscope.recorder.Recorder;

/**
 * The clock of the process, as texts, for hooks that may be in another class loader than the
 * recorder. Implementations are thread-safe and never throw.
 */
public interface NodeClock {
  /**
   * Records that a message is sent, and returns the stamp that it carries, as {@code
   * <micros>.<logical>}; empty if there is no clock.
   */
  String send();

  /**
   * Records that a message is received.
   *
   * @param stamp as the message carries it; one that cannot be read has no effect
   */
  void receive(String stamp);

  /** Advances the clock and returns its stamp; empty if there is no clock. */
  String tick();

  /** The clock of a recorder, whose settings determine trust. */
  static NodeClock of(Recorder recorder) {
    Ingress ingress = recorder.ingress();
    return new NodeClock() {
      @Override
      public String send() {
        return HlcTimestamp.text(recorder.send(""));
      }

      @Override
      public void receive(String stamp) {
        HlcContext.parse(stamp).ifPresent(ingress::receive);
      }

      @Override
      public String tick() {
        return HlcTimestamp.text(recorder.tick());
      }
    };
  }
}
