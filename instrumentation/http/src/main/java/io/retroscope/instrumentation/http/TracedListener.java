// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import java.io.IOException;

/**
 * A service's listener, whose events contain the traced context, because it may complete the
 * response.
 */
record TracedListener(AsyncListener actual, StampedResponse response) implements AsyncListener {
  @Override
  public void onComplete(AsyncEvent event) throws IOException {
    actual.onComplete(traced(event));
  }

  @Override
  public void onTimeout(AsyncEvent event) throws IOException {
    actual.onTimeout(traced(event));
  }

  @Override
  public void onError(AsyncEvent event) throws IOException {
    actual.onError(traced(event));
  }

  @Override
  public void onStartAsync(AsyncEvent event) throws IOException {
    actual.onStartAsync(traced(event));
  }

  private AsyncEvent traced(AsyncEvent event) {
    AsyncContext context = new TracedAsyncContext(event.getAsyncContext(), response);
    return new AsyncEvent(
        context, event.getSuppliedRequest(), event.getSuppliedResponse(), event.getThrowable());
  }
}
