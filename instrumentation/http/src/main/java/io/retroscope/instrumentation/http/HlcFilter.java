package io.retroscope.instrumentation.http;

import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Ingress;
import io.retroscope.recorder.Recorder;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;

/**
 * A servlet filter: every request that carries a stamp is a receive event before the service sees
 * it, and every response carries the stamp of its send event, also where it is given
 * asynchronously. Thread-safe.
 *
 * <p>Map it to REQUEST, ASYNC and ERROR dispatches, support for asynchronous requests switched on,
 * before filters that write responses. In a deployment descriptor, the init parameter {@code trust}
 * ({@code on}; all else is {@code off}) overrides the recorder's setting, see {@link
 * io.retroscope.recorder.RecorderBuilder#trustRemote}. A request that passes several filters is
 * received by the first that is trusted.
 *
 * <p>HAZARD: a header must leave before the body. The response's stamp is taken immediately before
 * its first byte, its error, its redirect or its completion: what the service does after the first
 * byte, as between server-sent events, is not before the response in HLC order.
 *
 * <p>HAZARD: a response that the container makes by itself, after an exception or a timeout,
 * carries no stamp unless it has an error page and the filter is mapped to ERROR dispatches.
 */
public final class HlcFilter implements Filter {
  private static final String RECEIVED = HlcFilter.class.getName() + ".received";

  /** Dispatches that come back to a request after the first one has ended. */
  private static final Set<DispatcherType> CONTINUATIONS =
      EnumSet.of(DispatcherType.ASYNC, DispatcherType.ERROR);

  private final Recorder recorder;
  private volatile Ingress ingress;

  /** A filter over the process's shared recorder; for containers that make filters by name. */
  public HlcFilter() {
    this(Recorder.shared());
  }

  /** A filter over the given recorder, whose settings decide on trust. */
  public HlcFilter(Recorder recorder) {
    this(recorder, recorder.ingress());
  }

  /** A filter that follows the stamps of requests or not, whatever the recorder's settings say. */
  public HlcFilter(Recorder recorder, boolean trustRemote) {
    this(recorder, recorder.ingress(trustRemote));
  }

  private HlcFilter(Recorder recorder, Ingress ingress) {
    this.recorder = recorder;
    this.ingress = ingress;
  }

  @Override
  public void init(FilterConfig settings) {
    String trust = settings.getInitParameter("trust");
    if (trust != null) {
      ingress = recorder.ingress(trust.strip().equalsIgnoreCase("on"));
    }
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest httpRequest
        && response instanceof HttpServletResponse httpResponse) {
      serve(httpRequest, httpResponse, chain);
    } else {
      chain.doFilter(request, response);
    }
  }

  private void serve(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    TracedRequest known = TracedRequest.within(request);
    receive(request);
    if (known == null) {
      TracedRequest traced = new TracedRequest(request, new StampedResponse(response, recorder));
      dispatch(traced, traced, traced.response(), chain);
    } else if (CONTINUATIONS.contains(request.getDispatcherType())) {
      dispatch(known, request, response, chain);
    } else {
      chain.doFilter(request, response); // The dispatch around this one completes the response.
    }
  }

  private static void dispatch(
      TracedRequest traced,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain)
      throws IOException, ServletException {
    traced.dispatched();
    try {
      chain.doFilter(request, response);
    } finally {
      if (!traced.isAsynchronous()) {
        traced.response().stamp();
      }
    }
  }

  /** Once for each request: other filters and later dispatches see it, too. */
  private void receive(HttpServletRequest request) {
    Object earlier = request.getAttribute(RECEIVED);
    boolean isNew = request.getDispatcherType() == DispatcherType.REQUEST;
    Ingress entrance = ingress;
    if (earlier == null || (isNew && entrance.isTrusted() && earlier.equals(false))) {
      request.setAttribute(RECEIVED, entrance.isTrusted());
      HlcContext.extract(request, HttpServletRequest::getHeader).ifPresent(entrance::receive);
    }
  }
}
