// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.Caller;
import java.util.Optional;
import org.eclipse.jetty.ee10.websocket.server.JettyServerUpgradeRequest;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** The right of a request to its route, which ends when its token is taken away. Immutable. */
final class Admission {
  static final String ENDED = "The token is no longer valid";
  static final String ENDED_DETAIL = "it was replaced or removed; use the new one";

  private static final String ATTRIBUTE = Admission.class.getName();

  private final AccessControl access;
  private final Optional<String> authorization;
  private final Route route;
  private final Caller caller;

  Admission(AccessControl access, Optional<String> authorization, Route route, Caller caller) {
    this.access = access;
    this.authorization = authorization;
    this.route = route;
    this.caller = caller;
  }

  /** Attaches it to the request. */
  void attach(Request request) {
    request.setAttribute(ATTRIBUTE, this);
  }

  /** The admission of the request that a handler answers. */
  static Admission of(Context context) {
    return of(context.req().getAttribute(ATTRIBUTE));
  }

  /** The admission of a request that becomes a WebSocket. */
  static Admission of(JettyServerUpgradeRequest request) {
    return of(request.getHttpServletRequest().getAttribute(ATTRIBUTE));
  }

  private static Admission of(@Nullable Object attribute) {
    if (attribute instanceof Admission admission) {
      return admission;
    }
    throw new AssertionError("the request did not pass the gate");
  }

  Route route() {
    return route;
  }

  /** The caller as the token was when the request came. */
  Caller caller() {
    return caller;
  }

  /** The caller as the token is now. */
  Caller callerNow() {
    return access.caller(authorization);
  }

  /** Whether the token still grants the route. */
  boolean isValid() {
    return route.access().isGrantedTo(callerNow());
  }

  /** The reason why a long answer ends early. */
  static ProblemException ended() {
    return ProblemException.of(401, ENDED, ENDED_DETAIL);
  }
}
