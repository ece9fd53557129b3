// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A request whose asynchronous responses pass through the {@link StampedResponse}: otherwise {@code
 * startAsync()} would continue with the container's own response.
 */
final class TracedRequest extends HttpServletRequestWrapper {
  private final StampedResponse response;
  private volatile boolean asynchronous;

  TracedRequest(HttpServletRequest request, StampedResponse response) {
    super(request);
    this.response = response;
  }

  /** The traced request that a request is or wraps; null if it has not passed a filter yet. */
  static @Nullable TracedRequest within(ServletRequest request) {
    ServletRequest inner = request;
    while (inner instanceof ServletRequestWrapper wrapper) {
      if (inner instanceof TracedRequest traced) {
        return traced;
      }
      inner = wrapper.getRequest();
    }
    return null;
  }

  StampedResponse response() {
    return response;
  }

  /**
   * Notes a new dispatch of this request, which is synchronous until it starts an asynchronous
   * context.
   */
  void dispatched() {
    asynchronous = false;
  }

  /**
   * Whether the current dispatch has deferred the response to a later one. Unlike {@code
   * isAsyncStarted()}, it does not become false again when the context is completed or dispatched
   * early.
   */
  boolean isAsynchronous() {
    return asynchronous || isAsyncStarted();
  }

  @Override
  public AsyncContext startAsync() {
    return startAsync(this, response);
  }

  @Override
  public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
    AsyncContext context = super.startAsync(request, response);
    asynchronous = true;
    return traced(context);
  }

  @Override
  public AsyncContext getAsyncContext() {
    return traced(super.getAsyncContext());
  }

  private AsyncContext traced(AsyncContext context) {
    return new TracedAsyncContext(context, response);
  }
}
