package io.retroscope.instrumentation.http;

import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Recorder;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;

/**
 * A servlet filter: every request that carries a stamp is a receive event before the service sees
 * it, and every response carries the stamp of its send event. Thread-safe.
 *
 * <p>HAZARD: a header must leave before the body. The response's stamp is taken when the service
 * first touches the body, sends an error or redirects, or when it is done, whichever comes first:
 * what it does after that is not before the response in HLC order.
 */
public final class HlcFilter implements Filter {
  private final Recorder recorder;

  /** A filter over the process's shared recorder; for containers that make filters by name. */
  public HlcFilter() {
    this(Recorder.shared());
  }

  /** A filter over the given recorder. */
  public HlcFilter(Recorder recorder) {
    this.recorder = recorder;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest httpRequest
        && response instanceof HttpServletResponse httpResponse) {
      HlcContext.extract(httpRequest, HttpServletRequest::getHeader)
          .ifPresent(remote -> recorder.receive("", remote));
      StampedResponse stamped = new StampedResponse(httpResponse);
      chain.doFilter(request, stamped);
      stamped.stamp();
    } else {
      chain.doFilter(request, response);
    }
  }

  /** Puts the stamp on as late as a header may still be set. */
  private final class StampedResponse extends HttpServletResponseWrapper {
    private boolean stamped;

    StampedResponse(HttpServletResponse response) {
      super(response);
    }

    void stamp() {
      if (!stamped && !isCommitted()) {
        stamped = true;
        HlcContext.inject(
            recorder.send(""), (HttpServletResponse) getResponse(), HttpServletResponse::setHeader);
      }
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
      stamp();
      return super.getOutputStream();
    }

    @Override
    public PrintWriter getWriter() throws IOException {
      stamp();
      return super.getWriter();
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
  }
}
