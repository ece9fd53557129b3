// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.apache5;

import io.retroscope.recorder.Recorder;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;

/** The code of the module's README, which a test looks up here. */
final class ReadmeSample {
  private ReadmeSample() {}

  static CloseableHttpClient client(Recorder recorder) {
    HlcInterceptor hlc = new HlcInterceptor(recorder);
    return HttpClients.custom()
        .addRequestInterceptorLast(hlc)
        .addResponseInterceptorFirst(hlc)
        .build();
  }
}
