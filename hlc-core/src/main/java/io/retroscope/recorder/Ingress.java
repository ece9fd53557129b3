// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.util.concurrent.atomic.LongAdder;

/**
 * The entry point for stamps of incoming requests. A trusted one follows them. An untrusted one
 * only counts them, because any sender of requests could otherwise move the clocks of the whole
 * cluster, by up to the clock's {@code maxOffset} with each request. Thread-safe; never throws or
 * blocks.
 *
 * <p>HAZARD: a request at an untrusted entry point is not recorded as received, and is not ordered
 * after its cause, because a forged stamp would name a cause that it never had.
 */
public final class Ingress {
  private final Recorder recorder;
  private final LongAdder untrusted;
  private final boolean trusted;

  Ingress(Recorder recorder, LongAdder untrusted, boolean trusted) {
    this.recorder = recorder;
    this.untrusted = untrusted;
    this.trusted = trusted;
  }

  /** Whether the stamps of requests are followed. */
  public boolean isTrusted() {
    return trusted;
  }

  /**
   * Records a request as {@link Recorder#receive(String, long)} does, or only counts it in {@link
   * RecorderStatistics#untrusted}.
   *
   * @param remoteHlc the packed stamp that the request carries
   */
  public void receive(long remoteHlc) {
    if (trusted) {
      recorder.receive("", remoteHlc);
    } else {
      untrusted.increment();
    }
  }
}
