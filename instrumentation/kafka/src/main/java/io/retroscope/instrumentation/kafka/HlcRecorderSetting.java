package io.retroscope.instrumentation.kafka;

import io.retroscope.recorder.Ingress;
import io.retroscope.recorder.Recorder;
import java.util.Map;
import java.util.Objects;

/** The settings of the interceptors, among those of their Kafka client. */
public final class HlcRecorderSetting {
  /**
   * The client setting that holds a {@link Recorder}; without it the process's shared one is taken.
   */
  public static final String RECORDER = "retroscope.recorder";

  /**
   * The consumer setting {@code on} (all else is {@code off}): whether the stamps of records are
   * followed. On unless set, whatever the recorder's own setting: a broker is behind the edge.
   * Switch it off for topics that others may write to.
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
