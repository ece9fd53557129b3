// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;

/** An asynchronous context whose response is stamped when it is completed without a body. */
final class TracedAsyncContext implements AsyncContext {
  private final AsyncContext actual;
  private final StampedResponse response;

  TracedAsyncContext(AsyncContext actual, StampedResponse response) {
    this.actual = actual;
    this.response = response;
  }

  @Override
  public void complete() {
    response.stamp();
    actual.complete();
  }

  @Override
  public ServletRequest getRequest() {
    return actual.getRequest();
  }

  @Override
  public ServletResponse getResponse() {
    return actual.getResponse();
  }

  @Override
  public boolean hasOriginalRequestAndResponse() {
    return actual.hasOriginalRequestAndResponse();
  }

  @Override
  public void dispatch() {
    actual.dispatch();
  }

  @Override
  public void dispatch(String path) {
    actual.dispatch(path);
  }

  @Override
  public void dispatch(ServletContext context, String path) {
    actual.dispatch(context, path);
  }

  @Override
  public void start(Runnable work) {
    actual.start(work);
  }

  @Override
  public void addListener(AsyncListener listener) {
    actual.addListener(new TracedListener(listener, this.response));
  }

  @Override
  public void addListener(
      AsyncListener listener, ServletRequest request, ServletResponse response) {
    actual.addListener(new TracedListener(listener, this.response), request, response);
  }

  @Override
  public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
    return actual.createListener(type);
  }

  @Override
  public void setTimeout(long millis) {
    actual.setTimeout(millis);
  }

  @Override
  public long getTimeout() {
    return actual.getTimeout();
  }
}
