// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import io.retroscope.recorder.Ingress;
import io.retroscope.recorder.Recorder;
import java.util.Map;
import java.util.Objects;

/** The settings of the interceptors, among those of their Kafka client. Thread-safe. */
public final class HlcRecorderSetting {
  /** The client setting with a {@link Recorder}; without it, the process's shared one is used. */
  public static final String RECORDER = "retroscope.recorder";

  /**
   * The consumer setting for following the stamps of records: {@code on} (any other value means
   * {@code off}). It is on by default, regardless of the recorder's own setting, because a broker
   * is inside the edge. Disable it for topics to which others may write.
   */
  public static final String TRUST = "retroscope.trust";

  private HlcRecorderSetting() {}

  static Recorder from(Map<String, ?> settings) {
    return settings.get(RECORDER) instanceof Recorder recorder ? recorder : Recorder.shared();
  }

  static Ingress ingress(Map<String, ?> settings) {
    String trust = Objects.toString(settings.get(TRUST), "on").strip();
    return from(settings).ingress(trust.equalsIgnoreCase("on"));
  }
}
