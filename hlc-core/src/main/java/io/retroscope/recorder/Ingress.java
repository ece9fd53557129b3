package io.retroscope.recorder;

import java.util.concurrent.atomic.LongAdder;

/**
 * The entrance for stamps of incoming requests. A trusted one follows them. One that is not trusted
 * only counts them, because whoever sends a request could otherwise move the clocks of the whole
 * cluster, by up to the clock's {@code maxOffset} with each request. Thread-safe.
 *
 * <p>HAZARD: a request that an entrance does not trust is not recorded as received, and nothing
 * orders it after its cause: a forged stamp would name a cause that it never had.
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

  /** Whether stamps that come in here are followed. */
  public boolean isTrusted() {
    return trusted;
  }

  /**
   * A request arrives: recorded as {@link Recorder#receive(String, long)} does, or only counted in
   * {@link RecorderStatistics#untrusted}.
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
