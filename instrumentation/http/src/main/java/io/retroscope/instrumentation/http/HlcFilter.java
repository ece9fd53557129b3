// SPDX-License-Identifier: Apache-2.0
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
import java.util.OptionalLong;
import java.util.Set;

/**
 * A servlet filter: every request that carries a stamp is a receive event before the service sees
 * it, and every response, including an asynchronous one, carries a stamp, that of its send event.
 * The response to a caller that sent no stamp is no send event, because its receipt would never be
 * recorded. Thread-safe.
 *
 * <p>Map it to REQUEST, ASYNC and ERROR dispatches, with support for asynchronous requests enabled,
 * before filters that write responses. In a deployment descriptor, the init parameter {@code trust}
 * ({@code on}; any other value means {@code off}) overrides the recorder's setting, see {@link
 * io.retroscope.recorder.RecorderBuilder#trustRemote}. A request that passes several filters is
 * received by the first trusted one.
 *
 * <p>HAZARD: a header must be sent before the body. The response's stamp is taken immediately
 * before its first byte, its error, its redirect or its completion: events that the service records
 * after the first byte, for example between server-sent events, are not before the response in HLC
 * order.
 *
 * <p>HAZARD: a response that the container creates itself, after an exception or a timeout, carries
 * no stamp unless there is an error page and the filter is mapped to ERROR dispatches.
 *
 * <p>Each request costs two stamps and two events and waits for nothing. A stamp that cannot be
 * read is treated as absent.
 */
public final class HlcFilter implements Filter {
  private static final String RECEIVED = HlcFilter.class.getName() + ".received";

  /** Dispatches that return to a request after the first one has ended. */
  private static final Set<DispatcherType> CONTINUATIONS =
      EnumSet.of(DispatcherType.ASYNC, DispatcherType.ERROR);

  private final Recorder recorder;
  private volatile Ingress ingress;

  /**
   * A filter with the process's shared recorder, for containers that create filters by class name.
   */
  public HlcFilter() {
    this(Recorder.shared());
  }

  /** A filter with the given recorder, whose settings determine trust. */
  public HlcFilter(Recorder recorder) {
    this(recorder, recorder.ingress());
  }

  /** A filter that follows the stamps of requests or not, regardless of the recorder's settings. */
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
    OptionalLong remote = HlcContext.extract(request, HttpServletRequest::getHeader);
    remote.ifPresent(hlc -> receive(request, hlc));
    if (known == null) {
      StampedResponse stamped = new StampedResponse(response, recorder, remote.isPresent());
      TracedRequest traced = new TracedRequest(request, stamped);
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

  /** Receives a request once, although other filters and later dispatches see it as well. */
  private void receive(HttpServletRequest request, long remote) {
    Object earlier = request.getAttribute(RECEIVED);
    boolean isNew = request.getDispatcherType() == DispatcherType.REQUEST;
    Ingress entrance = ingress;
    if (earlier == null || (isNew && entrance.isTrusted() && earlier.equals(false))) {
      request.setAttribute(RECEIVED, entrance.isTrusted());
      entrance.receive(remote);
    }
  }
}
