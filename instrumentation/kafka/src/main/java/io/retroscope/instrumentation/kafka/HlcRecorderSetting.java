package io.retroscope.instrumentation.kafka;

import io.retroscope.recorder.Recorder;
import java.util.Map;

/** Where an interceptor finds its recorder. */
public final class HlcRecorderSetting {
  /**
   * The client setting that holds a {@link Recorder}; without it the process's shared one is taken.
   */
  public static final String RECORDER = "retroscope.recorder";

  private HlcRecorderSetting() {}

  static Recorder from(Map<String, ?> settings) {
    return settings.get(RECORDER) instanceof Recorder recorder ? recorder : Recorder.shared();
  }
}
