// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Recorder;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * A response that is stamped as late as a header may still be set: immediately before the first
 * byte of its body, an error, a redirect or its completion. Like every response, it is used by one
 * thread at a time.
 */
final class StampedResponse extends HttpServletResponseWrapper {
  /**
   * The response that receives the header; not {@link #getResponse()}, which may ignore headers
   * while a servlet is included.
   */
  private final HttpServletResponse actual;

  private final Recorder recorder;
  private final boolean isSend;
  private boolean stamped;
  private @Nullable StampedStream stream;
  private @Nullable StampedWriter writer;

  /**
   * Wraps a response.
   *
   * @param isSend whether its stamp is that of a send event
   */
  StampedResponse(HttpServletResponse response, Recorder recorder, boolean isSend) {
    super(response);
    this.actual = response;
    this.recorder = recorder;
    this.isSend = isSend;
  }

  void stamp() {
    if (stamped) {
      return;
    }
    try {
      if (!actual.isCommitted()) {
        stamped = true;
        long hlc = isSend ? recorder.send("") : recorder.tick();
        HlcContext.inject(hlc, actual, HttpServletResponse::setHeader);
      }
    } catch (RuntimeException e) {
      // The container has recycled the response; the caller's own call reports that.
    }
  }

  @Override
  public ServletOutputStream getOutputStream() throws IOException {
    ServletOutputStream actual = super.getOutputStream();
    StampedStream known = stream;
    if (known == null || known.actual() != actual) {
      known = new StampedStream(actual, this);
      stream = known;
    }
    return known;
  }

  @Override
  public PrintWriter getWriter() throws IOException {
    PrintWriter actual = super.getWriter();
    StampedWriter known = writer;
    if (known == null || known.actual() != actual) {
      known = new StampedWriter(actual, this);
      writer = known;
    }
    return known;
  }

  @Override
  public void flushBuffer() throws IOException {
    stamp();
    super.flushBuffer();
  }

  @Override
  public void sendError(int status, String message) throws IOException {
    stamp();
    super.sendError(status, message);
  }

  @Override
  public void sendError(int status) throws IOException {
    stamp();
    super.sendError(status);
  }

  @Override
  public void sendRedirect(String location) throws IOException {
    stamp();
    super.sendRedirect(location);
  }

  @Override
  public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
    stamp();
    super.sendRedirect(location, status, clearBuffer);
  }

  @Override
  public void reset() {
    super.reset();
    stamped = false;
  }

  @Override
  public void resetBuffer() {
    super.resetBuffer();
    stamped = false;
  }
}
