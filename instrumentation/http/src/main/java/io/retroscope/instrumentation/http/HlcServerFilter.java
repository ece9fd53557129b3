// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsExchange;
import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Ingress;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.util.OptionalLong;

/**
 * A filter for the JDK's HTTP server: every request that carries a stamp is a receive event before
 * the handler sees it, and every response carries a stamp, that of its send event, which is taken
 * when the handler sends the response's headers. The response to a caller that sent no stamp is no
 * send event, because its receipt would never be recorded. Thread-safe.
 *
 * <pre>{@code
 * server.createContext("/", handler).getFilters().add(new HlcServerFilter(recorder));
 * }</pre>
 *
 * <p>Handlers of https servers may cast their exchange, so it is passed on as it is, and its
 * responses carry no stamp.
 *
 * <p>Each exchange costs two stamps and two events and waits for nothing. A stamp that cannot be
 * read is treated as absent.
 */
public final class HlcServerFilter extends Filter {
  private final Recorder recorder;
  private final Ingress ingress;

  /** A filter with the given recorder, whose settings determine trust. */
  public HlcServerFilter(Recorder recorder) {
    this(recorder, recorder.ingress());
  }

  /** A filter that follows the stamps of requests or not, regardless of the recorder's settings. */
  public HlcServerFilter(Recorder recorder, boolean trustRemote) {
    this(recorder, recorder.ingress(trustRemote));
  }

  private HlcServerFilter(Recorder recorder, Ingress ingress) {
    this.recorder = recorder;
    this.ingress = ingress;
  }

  @Override
  public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
    OptionalLong remote = HlcContext.extract(exchange.getRequestHeaders(), Headers::getFirst);
    remote.ifPresent(ingress::receive);
    chain.doFilter(
        exchange instanceof HttpsExchange
            ? exchange
            : new StampedExchange(exchange, recorder, remote.isPresent()));
  }

  @Override
  public String description() {
    return "records requests and responses, and propagates the clock";
  }
}
