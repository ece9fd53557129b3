// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.okhttp;

import io.retroscope.recorder.Recorder;
import okhttp3.OkHttpClient;

/** The code of the module's README, which a test looks up here. */
final class ReadmeSample {
  private ReadmeSample() {}

  static OkHttpClient client(Recorder recorder) {
    return new OkHttpClient.Builder().addNetworkInterceptor(new HlcInterceptor(recorder)).build();
  }
}
